"""Points out of a measurement in, an SVG file with two panels out; no plotting library.

Left: how often an answer is right against how sure it was. Right: the share of answers that are
wrong when only the surest are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

__all__ = ["calibration_svg"]

_SIDE = 260  # of a panel, in pixels
_MARGIN = 56
_STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
_STYLE = (
    "text{font:12px sans-serif;fill:#222}.axis{stroke:#222;fill:none}.grid{stroke:#ddd}"
    ".ideal{stroke:#888;stroke-dasharray:4 4}.curve{stroke:#0b62a4;stroke-width:2;fill:none}"
    ".point{fill:#0b62a4}"
)


def calibration_svg(
    reliability: Sequence[tuple[float, float, int]], risk: Sequence[tuple[float, float]]
) -> str:
    """Return the plot.

    `reliability`: mean confidence, share right, number of questions of each bin. `risk`: coverage
    and share wrong, both 0 to 1; its axis ends at the greatest risk, rounded up to a tenth.
    """
    largest = max((count for _, _, count in reliability), default=1)
    dots = "".join(
        f'<circle class="point" cx="{x * _SIDE:.1f}" cy="{(1 - y) * _SIDE:.1f}"'
        f' r="{3 + 7 * (count / largest) ** 0.5:.1f}"><title>{count}</title></circle>'
        for x, y, count in reliability
    )
    top = max(0.1, -(-max((wrong for _, wrong in risk), default=0.1) * 10 // 1) / 10)
    curve = " ".join(f"{x * _SIDE:.1f},{(1 - y / top) * _SIDE:.1f}" for x, y in risk)
    left = _panel(
        "Reliability",
        "confidence (area: questions)",
        "share right",
        1.0,
        f'<path class="ideal" d="M0 {_SIDE}L{_SIDE} 0"/>{dots}',
    )
    right = _panel(
        "Risk and coverage",
        "share of questions answered, the surest first",
        "share wrong",
        top,
        f'<polyline class="curve" points="{curve}"/>',
    )
    width, height = 2 * (_SIDE + _MARGIN) + 2 * _MARGIN, _SIDE + 2 * _MARGIN
    shift = _SIDE + 2 * _MARGIN + 16
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        f"<title>Reliability and risk-coverage</title><style>{_STYLE}</style>"
        f'<rect width="{width}" height="{height}" fill="#fff"/>'
        f'<g transform="translate({_MARGIN} {_MARGIN})">{left}</g>'
        f'<g transform="translate({shift + _MARGIN // 2} {_MARGIN})">{right}</g></svg>\n'
    )


def _panel(title: str, x_label: str, y_label: str, top: float, content: str) -> str:
    parts = [f'<text x="0" y="-18" style="font-weight:bold">{escape(title)}</text>']
    for step in _STEPS:
        place = step * _SIDE
        parts.append(f'<path class="grid" d="M{place} 0V{_SIDE}M0 {place}H{_SIDE}"/>')
        parts.append(f'<text x="{place}" y="{_SIDE + 16}" text-anchor="middle">{step:g}</text>')
        parts.append(
            f'<text x="-6" y="{_SIDE - place + 4}" text-anchor="end">{step * top:.3g}</text>'
        )
    middle = _SIDE / 2
    parts.append(
        f'<text x="{middle}" y="{_SIDE + 36}" text-anchor="middle">{escape(x_label)}</text>'
    )
    parts.append(
        f'<text transform="translate(-38 {middle}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_label)}</text>"
    )
    parts.append(content)
    parts.append(f'<rect class="axis" width="{_SIDE}" height="{_SIDE}"/>')
    return "".join(parts)
