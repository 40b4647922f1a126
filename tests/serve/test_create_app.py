from __future__ import annotations

import os
import re
import socket
import subprocess
import sys

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient

from kb import InputError
from kb.serve.chat import create_app
from kb.serve.server import serve
from kb.settings import Settings


@pytest.fixture(scope="module")
def client(base):
    routes = APIRouter()
    routes.get("/api/ping")(lambda: {"pong": True})
    with TestClient(create_app(base, routers=[routes])) as client:
        yield client


def test_the_page_names_no_other_host(client):
    page = client.get("/").text
    page = re.sub(r'"root":"http://testserver"', "", page)
    assert re.findall(r"https?://[^\s\"']+|(?:src|href)=\"//[^\"]+", page) == []


def test_the_style_of_gradio_names_no_other_host(client):
    style = client.get("/theme.css").text
    assert style
    assert re.findall(r"https?://(?!www\.w3\.org)|@import|@font-face", style) == []


def test_each_script_of_the_page_carries_the_nonce_of_its_policy(client):
    response = client.get("/")
    policy = response.headers["content-security-policy"]
    nonce = re.search(r"'nonce-([^']+)'", policy)[1]
    scripts = re.findall(r"<script[^>]*>", response.text)
    assert len(scripts) >= 3
    assert all(f'nonce="{nonce}"' in script for script in scripts)
    assert "script-src 'self'" in policy
    assert "'unsafe-inline'" not in re.search(r"script-src[^;]*", policy)[0]
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'self'" in policy


def test_two_pages_do_not_share_a_nonce(client):
    policies = {client.get("/").headers["content-security-policy"] for _ in range(2)}
    assert len(policies) == 2


@pytest.mark.parametrize(
    "path",
    [
        "/docs",
        "/openapi.json",
        "/gradio_api/info",
        "/gradio_api/openapi.json",
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/proxy=https://huggingface.co/x",
        "/gradio_api/call/ask",
        "/gradio_api/runs",
        "/gradio_api/deep_link",
        "/monitoring",
        "/login",
        "/manifest.json",
    ],
)
def test_routes_the_chat_does_not_need_are_shut(client, path):
    assert client.get(path).status_code == 404


def test_nothing_can_be_uploaded(client):
    assert client.post("/gradio_api/upload", files={"files": b"x"}).status_code == 404


def test_gradio_lists_no_endpoint_and_neither_counts_nor_records(client):
    config = client.get("/config").json()
    assert {event["api_visibility"] for event in config["dependencies"]} == {"private"}
    assert config["analytics_enabled"] is False
    assert config["run_history"] is False
    assert config["footer_links"] == []


def test_answers_to_other_origins_are_not_theirs_to_read(client):
    response = client.get("/config", headers={"origin": "https://evil.example"})
    assert "access-control-allow-origin" not in response.headers


def test_routers_are_mounted_before_the_page(client):
    assert client.get("/api/ping").json() == {"pong": True}


def test_a_section_is_served_to_the_page(client):
    response = client.get("/chat-section", params={"id": "server-hangs", "language": "ko"})
    assert response.status_code == 200
    assert "서버가 멈춰요" in response.text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"id": "nowhere"}, 404),
        ({"id": "server-hangs", "language": "fr"}, 422),
        ({"id": "x" * 1001}, 422),
        ({}, 422),
    ],
)
def test_a_section_that_cannot_be_is_refused(client, query, status):
    assert client.get("/chat-section", params=query).status_code == status


def test_style_and_script_travel_with_the_package(client):
    page = client.get("/").text
    assets = re.findall(r"(?:src|href)=\"\.(/chat-assets/[^\"]+)", page)
    assert len(assets) >= 5
    for path in assets:
        assert client.get(path).status_code == 200


def test_the_script_of_the_page_is_loaded_before_that_of_gradio_which_calls_it(client):
    page = client.get("/").text
    assert page.index("/chat.js") < page.index("./assets/index-")


def test_a_port_that_is_taken_is_said_with_what_to_do():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InputError, match="--port"):
            serve(Settings(port=taken.getsockname()[1]))


def test_telemetry_is_off_before_gradio_is_imported():
    code = (
        "import kb.serve.chat, gradio, huggingface_hub.constants as constants\n"
        "print(gradio.analytics.analytics_enabled(), constants.HF_HUB_DISABLE_TELEMETRY)"
    )
    # The machine of the tests may have said no to telemetry itself.
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HF_", "GRADIO_", "DO_NOT_TRACK", "DISABLE_TELEMETRY"))
    }
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=kept
    )
    assert done.stdout.split() == ["False", "True"]
