"""Receives spans like a collector: OTLP over HTTP, as JSON or protobuf, read by OpenTelemetry's own definitions.

Prints {"port": n}, then a line of JSON for each span. A request that isn't valid OTLP gets 400 and is reported on
stderr.
"""
import base64
import gzip
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


def read(content_type, body):
    request = ExportTraceServiceRequest()
    if content_type == "application/x-protobuf":
        request.ParseFromString(body)
        return request, lambda octets: octets.hex()
    # OTLP's JSON has ids in hexadecimal, but the parser decodes base64. Encoding the ids again restores the text.
    json_format.Parse(body, request)
    return request, lambda octets: base64.b64encode(octets).decode()


def plain(attributes):
    values = {}
    for attribute in attributes:
        kind = attribute.value.WhichOneof("value")
        values[attribute.key] = getattr(attribute.value, kind) if kind else None
    return values


def spans_of(request, hexadecimal):
    for resource_spans in request.resource_spans:
        resource = plain(resource_spans.resource.attributes)
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                yield {
                    "service": resource["service.name"],
                    "name": span.name,
                    "kind": span.kind,
                    "traceId": hexadecimal(span.trace_id),
                    "spanId": hexadecimal(span.span_id),
                    "parentSpanId": hexadecimal(span.parent_span_id),
                    "nanos": span.end_time_unix_nano - span.start_time_unix_nano,
                    "isError": span.status.code == 2,
                    "attributes": plain(span.attributes),
                }


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        length = self.headers["Content-Length"]
        if length is not None:
            return self.rfile.read(int(length))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def do_POST(self):
        body = self.body()
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        try:
            if self.path != "/v1/traces":
                raise ValueError(self.path)
            for span in spans_of(*read(self.headers["Content-Type"], body)):
                # In one write, because several threads handle requests.
                sys.stdout.write(json.dumps(span) + "\n")
                sys.stdout.flush()
            status, answer = 200, json_format.MessageToJson(ExportTraceServiceResponse()).encode()
        except Exception as error:
            print(f"not OTLP: {error!r}", file=sys.stderr, flush=True)
            status, answer = 400, b"{}"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(json.dumps({"port": server.server_port}), flush=True)
server.serve_forever()
