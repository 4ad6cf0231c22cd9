import ServerValues

/// The metrics of a server at one moment, without those of its services.
package struct ServerFigures: Sendable {
    package var version = ""
    package var loops: [LoopFigures] = []
    /// For each event loop, the number of bytes in its queue when the metrics were collected.
    package var queuedBytes: [Int] = []
    package var maximumQueuedBytes = 0
    /// The labels of all kinds of requests, indexed by ``RequestKind/index``.
    package var requestLabels: [String] = []
    /// The services of the server that have applications.
    package var services: [ServiceName] = []
    package var sockets = 0
    package var maximumConnections = 0
    package var isReady = true
    package var acceptFailures = 0
    package var refusedByAddress = 0
    package var hasValidConfiguration = true
    /// Whether the certificate files are usable, and when the certificate in use expires, in seconds since 1970; nil without TLS.
    package var certificate: (isValid: Bool, expires: Int)?
    package var uptime = Duration.zero
    package var process = ProcessFigures()

    package init() {}
}

extension ServerFigures {
    package func write(to out: inout PrometheusText) {
        writeServer(to: &out)
        writeLoops(to: &out)
        writeConnections(to: &out)
        writeRequests(to: &out)
        writeRequestTimes(to: &out)
    }

    private func writeServer(to out: inout PrometheusText) {
        out.family("build_info", .gauge, help: "The version of the server, as a label; the value is always 1.") {
            $0.add(1, ["version": version])
        }
        out.value("uptime_seconds", .gauge, help: "Seconds since the server started.", Int(uptime.components.seconds))
        out.value("ready", .gauge, help: "1 while /ready answers 200.", isReady ? 1 : 0)
        out.value(
            "configuration_valid", .gauge, help: "0 after a reload was refused, so that the previous configuration stays in use.",
            hasValidConfiguration ? 1 : 0)
        out.value(
            "certificate_valid", .gauge,
            help:
                "0 while the certificate files cannot be used, so that the previous certificate stays in use; not shown without TLS.",
            certificate.map { $0.isValid ? 1 : 0 })
        out.value(
            "certificate_expires_seconds", .gauge,
            help: "When the certificate in use expires, in seconds since 1970; not shown without TLS.",
            certificate?.expires)
        out.value("process_resident_bytes", .gauge, help: "Resident memory of the process, in bytes.", process.residentBytes)
        out.value("process_open_files", .gauge, help: "Open file descriptors, including sockets.", process.openFiles)
        out.value(
            "process_open_files_limit", .gauge, help: "The process's limit of open file descriptors.", process.maximumOpenFiles)
    }

    private func writeLoops(to out: inout PrometheusText) {
        out.family("event_loop_delay_seconds", .gauge, help: "Seconds that each event loop took to return these metrics.") {
            samples in
            for (index, loop) in loops.enumerated() {
                let (seconds, attoseconds) = loop.delay.components
                samples.add(
                    PrometheusText.seconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000), ["loop": String(index)])
            }
        }
        out.family("event_loop_queued_bytes", .gauge, help: "Bytes that are queued for each event loop now.") { samples in
            for (index, bytes) in queuedBytes.enumerated() { samples.add(bytes, ["loop": String(index)]) }
        }
        out.value(
            "event_loop_queued_bytes_limit", .gauge,
            help: "The number of queued bytes beyond which publishers to subscribers of the event loop have to wait.",
            maximumQueuedBytes)
        out.value(
            "publishers_held_total", .counter,
            help:
                "Publishing requests and connections that waited because an event loop's queue was full, including those answered with 503.",
            loops.reduce(0) { $0 + $1.held })
    }

    private func writeConnections(to out: inout PrometheusText) {
        let total = loops.reduce(into: LoopFigures()) { $0.add($1) }
        out.value("sockets", .gauge, help: "Open sockets, including those of HTTP requests.", sockets)
        out.value(
            "accept_failures_total", .counter,
            help: "How often a connection could not be accepted because no file descriptors were left.", acceptFailures)
        out.value(
            "connections_refused_by_address_total", .counter,
            help: "Connections refused because their IP address had too many connections or opened them too fast.",
            refusedByAddress)
        out.value("connections_limit", .gauge, help: "The configured limit of open WebSocket connections.", maximumConnections)
        Self.write(
            total.refusals, as: "connections_refused_total",
            help: "WebSocket connections refused, by close code or number of the chat error.", to: &out)
        Self.write(
            total.closures, as: "connections_closed_total",
            help:
                "WebSocket connections that the server ended or refused, by close code or chat error. The code is none without a close frame.",
            to: &out)
        Self.write(
            total.errors, as: "errors_total",
            help: "Errors sent on Pusher connections that stayed open, by code: 4301 for client events, 4009 for authorisation.",
            to: &out)
        out.family(
            "fanout_seconds", .histogram,
            help: "Time from queuing a message for an event loop until all messages queued with it were written to the sockets."
        ) { samples in
            for service in Set(services).union(total.fanOut.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
                samples.add(total.fanOut[service] ?? LatencyHistogram(), ["service": service.rawValue])
            }
        }
    }

    private static func write(
        _ counts: [LoopFigures.Code: Int], as name: String, help: String, to out: inout PrometheusText
    ) {
        let sorted = counts.sorted { ($0.key.service.rawValue, $0.key.code) < ($1.key.service.rawValue, $1.key.code) }
        out.family(name, .counter, help: help) { samples in
            for (key, count) in sorted {
                samples.add(count, ["service": key.service.rawValue, "code": key.code == 0 ? "none" : String(key.code)])
            }
        }
    }

    private func writeRequests(to out: inout PrometheusText) {
        let total = loops.reduce(into: RequestTally()) { $0.add($1.requests) }
        out.family(
            "http_requests_total", .counter,
            help: "HTTP requests answered, by kind of request and class of the status, such as 2xx."
        ) {
            for (index, label) in requestLabels.enumerated() {
                for digit in 1...5 {
                    let count = total.count(RequestKind(index: UInt8(index)), digit: digit)
                    // The classes 2xx, 4xx and 5xx are written even if their count is 0.
                    if count > 0 || [2, 4, 5].contains(digit) { $0.add(count, ["route": label, "status": "\(digit)xx"]) }
                }
            }
        }
    }

    /// Writes the times of each kind of request. Kinds without any answer are left out, because every kind adds one sample for each bucket.
    private func writeRequestTimes(to out: inout PrometheusText) {
        let total = loops.reduce(into: RequestTimes()) { $0.add($1.requestTimes) }
        out.family(
            "http_request_seconds", .histogram,
            help:
                "Time from the beginning of an HTTP request until its answer was handed to the socket; long polls are not included."
        ) { samples in
            for (index, label) in requestLabels.enumerated() {
                if let times = total[RequestKind(index: UInt8(index))] { samples.add(times, ["route": label]) }
            }
        }
    }

    /// Writes the connection and traffic counts of a service's WebSockets.
    ///
    /// - Parameter connections: the number of open connections of each application.
    package static func writeConnections(
        of service: ServiceName, _ tallies: ApplicationTallies, open connections: [ApplicationName: Int],
        _ names: [ApplicationName], to out: inout PrometheusText
    ) {
        out.family("connections", .gauge, help: "Open WebSocket connections.", of: service, names) {
            connections[names[$0.index], default: 0]
        }
        let families: [(String, String, KeyPath<ApplicationTally, Int>)] = [
            ("connections_accepted_total", "WebSocket connections whose handshake was completed.", \.connectionsAccepted),
            ("messages_received_total", "Messages from WebSocket clients.", \.messagesReceived),
            ("received_bytes_total", "Bytes from WebSocket clients, including frame headers.", \.bytesReceived),
            ("messages_sent_total", "Messages to WebSocket clients.", \.messagesSent),
            ("sent_bytes_total", "Bytes of messages to WebSocket clients, including frame headers.", \.bytesSent),
            ("slow_subscribers_cut_total", "Connections closed because the client read too slowly.", \.slowSubscribersCut),
            ("dead_connections_cut_total", "Connections closed because the client sent nothing in time.", \.deadConnectionsCut),
        ]
        for (name, help, path) in families {
            out.family(name, .counter, help: help, of: service, names) { tallies.value(path, at: $0) }
        }
    }
}
