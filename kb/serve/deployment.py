"""How the server is run elsewhere: a Containerfile and a unit for systemd, as text.

Both take settings from the environment, and neither lets the server write anywhere but to one
folder: it needs no more.
"""

from __future__ import annotations

__all__ = ["CONTAINERFILE", "SYSTEMD_UNIT"]

# The image of Python is named without a registry, so that the builder's own decides.
CONTAINERFILE = """\
# In a checkout:
# podman build -t sglang-kb -f Containerfile .
# podman run --rm -p 7860:7860 --read-only --tmpfs /tmp --cap-drop=all \\
#   --security-opt=no-new-privileges -v kb-state:/var/lib/kb sglang-kb
# Settings are variables, as in -e KB_ALLOWED_ORIGINS=https://docs.example.com; `kb settings` lists
# them.
FROM python:3.12-slim AS build
COPY . /src
RUN python -m venv /opt/kb && /opt/kb/bin/pip install --no-cache-dir --no-deps /src
# Without sentence-transformers, whose torch has gigabytes: the bundled encoder needs neither.
RUN /opt/kb/bin/python -c "from importlib.metadata import requires; \\
print(*(need for need in requires('sglang-troubleshooting-kb') \\
if 'extra ==' not in need and not need.startswith('sentence-transformers')), sep=chr(10))" \\
  > /needs && /opt/kb/bin/pip install --no-cache-dir -r /needs 'mcp>=2.0,<3' 'psycopg[binary]>=3.1'

FROM python:3.12-slim
COPY --from=build /opt/kb /opt/kb
RUN useradd --system --uid 10001 --home-dir /var/lib/kb --create-home kb
USER 10001
WORKDIR /var/lib/kb
VOLUME /var/lib/kb
ENV KB_HOST=0.0.0.0 KB_PORT=7860 KB_LOG_FORMAT=json PATH=/opt/kb/bin:$PATH HOME=/tmp
EXPOSE 7860
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", \\
  "import urllib.request as u; u.urlopen('http://127.0.0.1:7860/readyz', timeout=4)"]
ENTRYPOINT ["kb", "serve"]
"""

SYSTEMD_UNIT = """\
# /etc/systemd/system/kb.service
# python3 -m venv /opt/kb && /opt/kb/bin/pip install 'sglang-troubleshooting-kb'
# Settings: /etc/kb/kb.toml, in the form that `kb settings` prints; secrets: /etc/kb/secrets, lines
# like KB_API_TOKEN=..., readable by root alone. A newer index: systemctl reload kb.
[Unit]
Description=Troubleshooting knowledge base for SGLang servers
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=/opt/kb/bin/kb serve --config /etc/kb/kb.toml
ExecReload=/bin/kill -HUP $MAINPID
EnvironmentFile=-/etc/kb/secrets
Environment=HOME=%S/kb PYTHONDONTWRITEBYTECODE=1
DynamicUser=yes
StateDirectory=kb
WorkingDirectory=%S/kb
UMask=0077
Restart=on-failure
RestartSec=2
KillMode=mixed
TimeoutStopSec=45
MemoryMax=4G
TasksMax=512

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectHostname=yes
ProtectClock=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectProc=invisible
ProcSubset=pid
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
"""
