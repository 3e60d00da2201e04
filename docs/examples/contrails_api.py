"""A small client of the Contrails HTTP API for notebooks. Copy it beside your notebook; it needs `requests` only.

    api = Contrails("http://127.0.0.1:8080", key)
    result = api.trajectory("cocip", flight, include="co2e", on_progress=print)
"""

from __future__ import annotations

import io
import json
import random
import time
import warnings
from typing import Any, Callable, Iterator

import requests

RETRIED = {408, 429, 502, 503, 504}
#: Where the service asks for a longer pause, the error is raised at once [s].
MAX_PAUSE = 60


class ContrailsError(Exception):
    """A request that failed. `problem` is the document of the service, `fields` maps each refused field to its remedy."""

    def __init__(self, message: str, status: int | None = None, problem: dict[str, Any] | None = None):
        super().__init__(message)
        self.status = status
        self.problem = problem or {}
        self.code = self.problem.get("type", "").rsplit("/", 1)[-1]
        self.fields = {
            ".".join(map(str, error["loc"])): error["msg"] for error in self.problem.get("errors", [])
        }


class Contrails:
    """The service at `url`. Requests that may be repeated are sent up to `attempts` times."""

    def __init__(self, url: str, key: str, attempts: int = 5):
        self.url = url.rstrip("/")
        self.attempts = attempts
        self.session = requests.Session()
        self.session.headers["x-api-key"] = key

    def trajectory(
        self,
        model: str,
        flight: dict[str, Any],
        on_progress: Callable[[str, float], None] | None = None,
        **parameters: Any,
    ) -> dict[str, Any]:
        """Runs `sac`, `issr`, `emissions` or `cocip` along a flight, or along a fleet when `flight_id` is a list.

        With `on_progress` the flight is computed as a job; interrupting the cell cancels it.
        """
        path = f"/v0/trajectory/{model}"
        if on_progress is None:
            return self._json(self.request("POST", path, parameters, json=flight))
        headers = {"prefer": "respond-async"}
        accepted = self.request("POST", path, parameters, json=flight, headers=headers, repeatable=False)
        return self.wait(accepted.json()["id"], on_progress)["result"]

    def grid(self, model: str, time: Any, **parameters: Any) -> Any:
        """A grid of `sac`, `issr`, `pcr` or `cocip`: an `xarray.Dataset`, or a dictionary with `format="geojson"`."""
        parameters["time"] = time
        response = self.request("GET", f"/v0/grid/{model}", parameters)
        return self._json(response) if parameters.get("format") == "geojson" else self._dataset(response)

    def forecast(self, time: Any, **parameters: Any) -> Any:
        """The forcing index 0 to 4 as an `xarray.Dataset`."""
        return self._dataset(self.request("GET", "/v1/grids", {"time": time, **parameters}))

    def regions(self, time: Any, **parameters: Any) -> dict[str, Any]:
        """Polygons around the cells that reach `threshold`, as GeoJSON."""
        return self._json(self.request("GET", "/v1/regions", {"time": time, **parameters}))

    def telemetry(self, date: Any, **parameters: Any) -> Any:
        """The reports of one hour as a `pandas.DataFrame`."""
        return self._table(self.request("GET", "/v1/adsb/telemetry", {"date": date, **parameters}))

    def inventory(self, date: Any, table: str = "summary", **parameters: Any) -> Any:
        """`summary` or `rejections` of a day, or `segments` of an hour, as a `pandas.DataFrame`."""
        return self._table(self.request("GET", f"/v1/inventory/{table}", {"date": date, **parameters}))

    def wait(self, job: str, on_progress: Callable[[str, float], None] | None = None) -> dict[str, Any]:
        """Waits for a job and returns it with its `result`; cancels it when interrupted."""
        try:
            for state in self._states(job):
                if on_progress is not None:
                    on_progress(state["state"], state["progress"])
        except BaseException as error:
            if not isinstance(error, ContrailsError):
                self.session.delete(f"{self.url}/v0/jobs/{job}", timeout=10)
            raise
        if state["state"] != "done":
            raise ContrailsError(f"the job {job} is {state['state']}: {state.get('error', 'no reason is given')}")
        for warning in state.get("warnings", []):
            warnings.warn(warning, stacklevel=2)
        return state

    def _states(self, job: str) -> Iterator[dict[str, Any]]:
        pause = 0.1
        while True:
            response = self.request("GET", f"/v0/jobs/{job}")
            state = response.json()
            yield state
            if state["state"] in ("done", "failed", "cancelled"):
                return
            time.sleep(min(pause, float(response.headers.get("retry-after", 2))))
            pause *= 2

    def request(
        self, method: str, path: str, parameters: dict[str, Any] | None = None, repeatable: bool = True, **more: Any
    ) -> requests.Response:
        """Sends any request; lists in `parameters` are joined with commas. Raises `ContrailsError`."""
        query = {name: _text(value) for name, value in (parameters or {}).items() if value is not None}
        for attempt in range(1, self.attempts + 1):
            pause = random.uniform(0.25, 0.5) * 2**attempt
            try:
                response = self.session.request(method, self.url + path, params=query, timeout=300, **more)
            except (requests.ConnectionError, requests.Timeout) as error:
                if not repeatable or attempt == self.attempts:
                    raise ContrailsError(f"{method} {path} got no response: {error}") from error
            else:
                if response.ok:
                    return response
                asked = response.headers.get("retry-after", "")
                refused_before_work = response.status_code in (429, 503) and asked.isdigit()
                again = response.status_code in RETRIED if repeatable else refused_before_work
                pause = float(asked) if asked.isdigit() else pause
                if not again or attempt == self.attempts or pause > MAX_PAUSE:
                    raise _error(response)
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _json(self, response: requests.Response) -> Any:
        for warning in json.loads(response.headers.get("contrails-warnings", "[]")):
            warnings.warn(warning, stacklevel=3)
        return response.json()

    @staticmethod
    def _dataset(response: requests.Response) -> Any:
        import xarray

        return xarray.open_dataset(io.BytesIO(response.content))

    @staticmethod
    def _table(response: requests.Response) -> Any:
        import pandas

        return pandas.read_parquet(io.BytesIO(response.content))


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _error(response: requests.Response) -> ContrailsError:
    try:
        problem = response.json()
        message = problem["detail"]
    except (ValueError, KeyError, TypeError):
        problem, message = {}, f"{response.request.method} {response.url} returned {response.status_code}"
    return ContrailsError(message, response.status_code, problem)
