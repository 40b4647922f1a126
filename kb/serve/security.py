"""An application in, the same out with everything shut that is not said to be open."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.middleware.errors import ServerErrorMiddleware

from kb.serve.access import Access
from kb.serve.limits import BodyLimit, RateLimit
from kb.serve.metrics import Meter, RequestMeter
from kb.serve.origins import OriginRules, SecurityHeaders
from kb.serve.paths import RootPath
from kb.serve.peers import Peers
from kb.serve.problems import internal_error
from kb.serve.sign_in import SignIn

__all__ = ["protect"]


def protect(app: FastAPI, access: Access, meter: Meter) -> None:
    """Put the application behind its guards; the first added is the last to see a request."""
    # Inside the others, so that a reply to a failure has their headers too.
    app.add_middleware(ServerErrorMiddleware, handler=internal_error)
    app.add_middleware(BodyLimit, access=access, meter=meter)
    app.add_middleware(SignIn, access=access, meter=meter)
    app.add_middleware(RateLimit, access=access, meter=meter)  # guesses of the token count too
    app.add_middleware(OriginRules, access=access)
    app.add_middleware(RequestMeter, meter=meter)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(RootPath, root_path=access.root_path)
    app.add_middleware(Peers, trusted=access.trusted_proxies)
