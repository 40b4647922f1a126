document.documentElement.setAttribute("data-has-hydrated", "true");
