"""HTML in, what a browser would make of it out: its elements, attributes and copied blocks."""

from __future__ import annotations

from html.parser import HTMLParser

# Everything the chat's HTML may be made of; none of these runs or loads anything.
HARMLESS = {
    "article",
    "section",
    "div",
    "span",
    "p",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "a",
    "b",
    "strong",
    "em",
    "s",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "blockquote",
    "hr",
    "br",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "nav",
    "button",
    "del",
    "ins",
    "mark",
    "header",
    "h1",
}


class PageHTML(HTMLParser):
    """The elements of a piece of HTML, in order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.copied: list[str] = []
        self.text = ""
        self._in_copied = False
        # A browser takes every line end for a line feed before it reads anything else.
        self.feed(html.replace("\r\n", "\n").replace("\r", "\n"))
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if "data-copy-source" in dict(attrs):
            self._in_copied = True
            self.copied.append("")

    def handle_endtag(self, tag):
        if tag == "code":
            self._in_copied = False

    def handle_data(self, data):
        self.text += data
        if self._in_copied:
            self.copied[-1] += data

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    @property
    def hrefs(self) -> list[str | None]:
        return [attributes["href"] for _, attributes in self.elements if "href" in attributes]

    def assert_inert(self) -> None:
        """Nothing here runs, loads or leads anywhere but to the web in another tab or to itself."""
        assert self.tags <= HARMLESS
        for tag, attributes in self.elements:
            assert not [name for name in attributes if name.startswith("on") or name == "style"]
            assert not {"src", "srcset", "srcdoc", "action", "formaction"} & set(attributes)
            href = attributes.get("href")
            if href is not None:
                assert tag == "a"
                assert href.startswith(("http://", "https://", "#"))
                if not href.startswith("#"):
                    assert attributes["target"] == "_blank"
                    assert attributes["rel"] == "noopener noreferrer"
