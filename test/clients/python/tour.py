"""A tour of the API in Python, with nothing but the standard library; files go by `requests` where that is installed.

Usage: tour.py SERVICE_INFO_URL. Prints `done`, or ends with an AssertionError.
"""
import base64
import json
import sys
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

try:
    import requests
except ImportError:
    requests = None


def call(verb, url, body=None, **headers):
    """Makes a call; gives back the status, the answer and its headers."""
    data = None if body is None else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    if data is not None:
        names["Content-Type"] = "application/json"
    try:
        with urlopen(Request(url, data, names, method=verb), timeout=10) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None, answer.headers
    except HTTPError as error:
        text = error.read()
        return error.code, json.loads(text) if text else None, error.headers


def main(info_url):
    status, info, _ = call("GET", info_url)
    assert status == 200 and info["api"].endswith("{username}/"), info

    user = {"appId": "python-tour", "username": "daisy", "password": "a long sentence", "email": "d@example.com"}
    status, answer, _ = call("POST", info["register"] + "users", {**user, "hosting": "default"})
    assert status == 201, answer
    root = info["api"].replace("{username}", "daisy")

    # A tool names no page that it comes from, and is told what to do about it.
    status, answer, _ = call("POST", root + "auth/login", user)
    assert status == 403 and "Origin" in answer["error"]["message"], answer
    own = urlsplit(root)
    status, answer, _ = call("POST", root + "auth/login", user, Origin=f"{own.scheme}://{own.hostname}")
    assert status == 200, answer
    token = answer["token"]

    for headers in (
        {"Authorization": token},
        {"Authorization": "Bearer " + token},
        {"Authorization": "Basic " + base64.b64encode(f"{token}:".encode()).decode()},
    ):
        status, answer, _ = call("GET", root + "access-info", **headers)
        assert status == 200 and answer["type"] == "personal", answer
    status, answer, _ = call("GET", root + "access-info?" + urlencode({"auth": token}))
    assert status == 200, answer
    signed = {"Authorization": token}

    status, answer, _ = call("POST", root + "streams", {"id": "health", "name": "Health"}, **signed)
    assert status == 201, answer
    event = {"streamIds": ["health"], "type": "note/txt", "content": "größer ünd – 漢字 🎉", "time": 1000.5}
    status, answer, _ = call("POST", root + "events", event, **signed)
    assert status == 201 and answer["event"]["content"] == event["content"], answer
    calls = [
        {"method": "events.create", "params": {"streamIds": ["health"], "type": "mass/kg", "content": content}}
        for content in (70, "71.5")
    ]
    status, answer, _ = call("POST", root, calls, **signed)
    assert [result["event"]["content"] for result in answer["results"]] == [70, 71.5], answer

    query = urlencode([("streams[]", "health"), ("types[]", "note/txt"), ("fromTime", 0), ("toTime", 2000)])
    status, answer, _ = call("GET", root + "events?" + query, **signed)
    assert [found["time"] for found in answer["events"]] == [1000.5], answer
    query = urlencode({"streams": json.dumps({"any": ["health"]}), "limit": 2, "sortAscending": True})
    status, answer, headers = call("GET", root + "events?" + query, **signed)
    assert len(answer["events"]) == 2, answer
    status, answer, _ = call("GET", root + "events?" + query, If_None_Match=headers["ETag"], **signed)
    assert status == 304 and answer is None, answer

    holder = {"streamIds": ["health"], "type": "series:mass/kg", "time": 2000}
    _, answer, _ = call("POST", root + "events", holder, **signed)
    points = {"format": "flatJSON", "fields": ["deltaTime", "value"], "points": [[0, 70], [60, 70.2]]}
    series = root + "events/" + answer["event"]["id"] + "/series"
    status, answer, _ = call("POST", series, points, **signed)
    assert status == 200 and answer["status"] == "ok", answer
    status, answer, _ = call("GET", series, **signed)
    assert answer["points"] == points["points"], answer

    if requests:
        send_file(root, token)
    status, answer, _ = call("POST", root + "auth/logout", {}, **signed)
    assert status == 200, answer
    status, answer, _ = call("GET", root + "events", **signed)
    assert status == 401, answer
    print("done")


def send_file(root, token):
    """Sends a file as the manual of `requests` shows it, and reads it back by its own token."""
    session = requests.Session()
    session.headers["Authorization"] = token
    event = json.dumps({"streamIds": ["health"], "type": "picture/attached"})
    files = {"event": (None, event), "file": ("größe.png", b"\x89PNG some bytes", "image/png")}
    answer = session.post(root + "events", files=files)
    assert answer.status_code == 201, answer.text
    (attachment,) = answer.json()["event"]["attachments"]
    assert attachment["fileName"] == "größe.png", attachment
    address = f"{root}events/{answer.json()['event']['id']}/{attachment['id']}"
    assert requests.get(address, params={"readToken": attachment["readToken"]}).content == b"\x89PNG some bytes"
    assert session.get(address, params={"readToken": "bad"}).status_code == 401
    assert requests.get(root + "streams", auth=(token, "")).status_code == 200


main(sys.argv[1])
