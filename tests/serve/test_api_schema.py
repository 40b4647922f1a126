"""schemathesis calls the real application with what its description allows and forbids."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from kb.serve.access import Access
from kb.serve.chat import create_app

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
]
OPERATIONS = {("POST", "/ask"), ("POST", "/search"), ("GET", "/sections/{id}")}


@pytest.fixture(scope="module")
def operations(base):
    app = create_app(base, access=Access(requests_per_minute=0))
    description = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    found = [result.ok() for result in description.get_all_operations()]
    return {(operation.method.upper(), operation.path): operation for operation in found}


def test_every_operation_is_called(operations):
    assert set(operations) == OPERATIONS


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", sorted(OPERATIONS), ids=lambda name: name[1])
def test_the_api_does_what_its_description_says(operations, name, mode):
    @given(case=operations[name].as_strategy(generation_mode=mode))
    @settings(
        max_examples=20,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def run(case):
        case.call_and_validate(checks=CHECKS)

    run()
