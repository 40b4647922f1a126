project = "GPU portal"
language = "en"
html_favicon = "icon.svg"
html_theme = "alabaster"
html_js_files = [
    ("http://kb.invalid/widget.js", {"data-language": "en", "defer": "defer"}),
]
