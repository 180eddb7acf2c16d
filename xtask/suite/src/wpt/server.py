# This Source Code Form is subject to the terms of the Mozilla Public
# License, v. 2.0. If a copy of the MPL was not distributed with this
# file, You can obtain one at https://mozilla.org/MPL/2.0/.

"""Serves tests in web-platform-tests form until standard input ends.

The one argument is a file with the configuration, in JSON:

    hosts      {"main": name, "alternate": name, "subdomains": [...], "missing": [...]}
    key        the file with the private key of the certificate
    certificate  the file with the certificate
    mounts     [{"url": "/…/", "folder": path}], tried in this order
    rewrites   {path: path}

When the servers listen, one line of JSON with their ports is printed: {"http": [...], "https": [...]}.
"""

import html
import json
import os
import re
import sys
from urllib.parse import unquote

from wptserve import handlers, server
from wptserve.config import ConfigBuilder
from wptserve.logger import get_logger
from wptserve.utils import HTTPException

ADDRESS = "127.0.0.1"
PORTS = {"http": ["auto", "auto"], "https": ["auto", "auto"]}
METADATA = re.compile(r"//\s*META:\s*(\w+)=(.*?)\s*$")


class Mounts:
    """Several folders in one space of paths: the first that has the file serves it."""

    def __init__(self, mounts):
        self.mounts = [(mount["url"], mount["folder"]) for mount in mounts]

    def find(self, path):
        for url, folder in self.mounts:
            if not path.startswith(url) or ".." in path:
                continue
            name = os.path.join(folder, path[len(url):])
            if os.path.isfile(name):
                return url, folder, name
        return None

    def __call__(self, request, response):
        path = unquote(request.url_parts.path)
        if path.endswith("/"):
            index = self.find(path + "index.html")
            if index is None:
                raise HTTPException(404)
            with open(index[2], "rb") as file:
                response.headers.set("Content-Type", "text/html")
                response.content = file.read()
            return response
        found = self.find(path)
        if found is None:
            raise HTTPException(404)
        url, folder, name = found
        request.doc_root = folder
        kind = handlers.PythonScriptHandler if name.endswith(".py") else handlers.FileHandler
        return kind(folder, url)(request, response)


class WindowTest:
    """The page around a test that is a script: X.window.js and X.any.js give X.window.html and X.any.html."""

    def __init__(self, mounts):
        self.mounts = mounts

    def __call__(self, request, response):
        path = unquote(request.url_parts.path)
        script = path[: -len(".html")] + ".js"
        found = self.mounts.find(script)
        if found is None or self.mounts.find(path) is not None:
            return self.mounts(request, response)
        lines = ["<!doctype html>", '<meta charset="utf-8">']
        scripts = []
        with open(found[2], encoding="utf-8") as file:
            for key, value in read_metadata(file):
                if key == "title":
                    lines.append(f"<title>{html.escape(value)}</title>")
                elif key == "timeout":
                    lines.append(f'<meta name="timeout" content="{html.escape(value)}">')
                elif key == "script":
                    scripts.append(value)
        scripts = ["/resources/testharness.js", "/resources/testharnessreport.js", *scripts]
        lines += [f'<script src="{html.escape(source)}"></script>' for source in scripts]
        lines.append('<div id="log"></div>')
        lines.append(f'<script src="{html.escape(script + query(request))}"></script>')
        response.headers.set("Content-Type", "text/html")
        response.content = "\n".join(lines) + "\n"
        return response


def query(request):
    return "?" + request.url_parts.query if request.url_parts.query else ""


def read_metadata(lines):
    for line in lines:
        match = METADATA.match(line)
        if match:
            yield match.group(1), match.group(2)
        elif line.strip():
            return


def routes(configuration):
    mounts = Mounts(configuration["mounts"])
    window_test = WindowTest(mounts)
    return [
        ("GET", "*.window.html", window_test),
        ("GET", "*.any.html", window_test),
        ("GET", "*.asis", handlers.as_is_handler),
        ("*", "*", mounts),
    ]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        configuration = json.load(file)
    hosts = configuration["hosts"]
    with ConfigBuilder(
        get_logger(),
        subdomains=set(hosts["subdomains"]),
        not_subdomains=set(hosts["missing"]),
        browser_host=hosts["main"],
        alternate_hosts={"alt": hosts["alternate"]},
        server_host=ADDRESS,
        ports=PORTS,
        ssl={
            "type": "pregenerated",
            "pregenerated": {
                "host_key_path": configuration["key"],
                "host_cert_path": configuration["certificate"],
            },
        },
    ) as config:
        for scheme, ports in config.ports.items():
            for port in ports:
                server.WebTestHttpd(
                    host=ADDRESS,
                    port=port,
                    use_ssl=scheme == "https",
                    key_file=configuration["key"],
                    certificate=configuration["certificate"],
                    routes=routes(configuration),
                    rewrites=[("*", path, target) for path, target in configuration["rewrites"].items()],
                    config=config,
                ).start()
        print(json.dumps(config.ports), flush=True)
        sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
