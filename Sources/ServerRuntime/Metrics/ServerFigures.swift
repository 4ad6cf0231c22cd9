import ServerValues

/// The metrics of a server at one moment, without those of its fronts.
package struct ServerFigures: Sendable {
    package var version = ""
    package var loops: [LoopFigures] = []
    /// The bytes in each event loop's queue when it was asked.
    package var queuedBytes: [Int] = []
    package var maximumQueuedBytes = 0
    /// The labels of the kinds of requests.
    package var requestLabels: [String] = []
    /// Services that have applications.
    package var services: [ServiceName] = []
    package var sockets = 0
    package var maximumConnections = 0
    package var isReady = true
    package var acceptFailures = 0
    package var refusedByAddress = 0
    package var hasValidConfiguration = true
    /// The certificate's state; nil for no TLS.
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
        out.family("build_info", .gauge, "Always 1; the version is a label.") { $0.add(1, ["version": version]) }
        out.value("uptime_seconds", .gauge, "Seconds since the server started.", Int(uptime.components.seconds))
        out.value("ready", .gauge, "1 while /ready answers 200.", isReady ? 1 : 0)
        out.value(
            "configuration_valid", .gauge, "0 when the latest reload was refused and the old configuration stays.",
            hasValidConfiguration ? 1 : 0)
        out.value(
            "certificate_valid", .gauge, "0 when the certificate files cannot be used as they are now. Only with TLS.",
            certificate.map { $0.isValid ? 1 : 0 })
        out.value(
            "certificate_expires_seconds", .gauge, "When the certificate in use expires, in seconds since 1970. Only with TLS.",
            certificate?.expires)
        out.value("process_resident_bytes", .gauge, "Memory of the process that is in use.", process.residentBytes)
        out.value("process_open_files", .gauge, "Open file descriptors, including sockets.", process.openFiles)
        out.value("process_open_files_limit", .gauge, "The largest number of open file descriptors.", process.maximumOpenFiles)
    }

    private func writeLoops(to out: inout PrometheusText) {
        out.family("event_loop_delay_seconds", .gauge, "How long each event loop took to answer this request.") { samples in
            for (index, loop) in loops.enumerated() {
                let (seconds, attoseconds) = loop.delay.components
                samples.add(
                    PrometheusText.seconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000), ["loop": String(index)])
            }
        }
        out.family("event_loop_queued_bytes", .gauge, "Bytes queued for each event loop when it was asked.") { samples in
            for (index, bytes) in queuedBytes.enumerated() { samples.add(bytes, ["loop": String(index)]) }
        }
        out.value(
            "event_loop_queued_bytes_limit", .gauge,
            "The queue size beyond which publishers to the loop's subscribers have to wait.", maximumQueuedBytes)
        out.value(
            "publishers_held_total", .counter,
            "Requests and connections that had to wait for an event loop, including those answered with 503.",
            loops.reduce(0) { $0 + $1.held })
    }

    private func writeConnections(to out: inout PrometheusText) {
        let total = loops.reduce(into: LoopFigures()) { $0.add($1) }
        out.value("sockets", .gauge, "Open sockets, including those of HTTP requests.", sockets)
        out.value(
            "accept_failures_total", .counter,
            "How often waiting connections could not be accepted because file descriptors had run out.", acceptFailures)
        out.value(
            "connections_refused_by_address_total", .counter,
            "Connections refused because their address had too many or opened them too fast.",
            refusedByAddress)
        out.value("connections_limit", .gauge, "WebSocket connections that may be open.", maximumConnections)
        Self.write(
            total.refusals, "connections_refused_total",
            "WebSocket connections refused, by close code or number of the chat error.", to: &out)
        Self.write(
            total.closures, "connections_closed_total",
            "WebSocket connections that the server ended or refused, by close code or chat error; none without a close frame.",
            to: &out)
        Self.write(
            total.errors, "errors_total",
            "Errors sent on Pusher connections that stayed open, by code: 4301 for client events, 4009 for authorisation.",
            to: &out)
        out.family(
            "fanout_seconds", .histogram,
            "Time from the first message queued for an event loop until all queued with it were written to the sockets."
        ) { samples in
            for service in Set(services).union(total.fanOut.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
                samples.add(total.fanOut[service] ?? LatencyHistogram(), ["service": service.rawValue])
            }
        }
    }

    private static func write(
        _ counts: [LoopFigures.Code: Int], _ name: String, _ help: String, to out: inout PrometheusText
    ) {
        let sorted = counts.sorted { ($0.key.service.rawValue, $0.key.code) < ($1.key.service.rawValue, $1.key.code) }
        out.family(name, .counter, help) { samples in
            for (key, count) in sorted {
                samples.add(count, ["service": key.service.rawValue, "code": key.code == 0 ? "none" : String(key.code)])
            }
        }
    }

    private func writeRequests(to out: inout PrometheusText) {
        let total = loops.reduce(into: RequestTally()) { $0.add($1.requests) }
        out.family(
            "http_requests_total", .counter, "HTTP requests answered, by kind of request and class of the status, such as 2xx."
        ) {
            for (index, label) in requestLabels.enumerated() {
                for digit in 1...5 {
                    let count = total.count(RequestKind(index: UInt8(index)), digit: digit)
                    // The usual classes of statuses are listed from the start.
                    if count > 0 || [2, 4, 5].contains(digit) { $0.add(count, ["route": label, "status": "\(digit)xx"]) }
                }
            }
        }
    }

    /// Writes only routes with requests, because each has as many samples as there are buckets.
    private func writeRequestTimes(to out: inout PrometheusText) {
        let total = loops.reduce(into: RequestTimes()) { $0.add($1.requestTimes) }
        out.family(
            "http_request_seconds", .histogram,
            "Time from the beginning of an HTTP request until its answer was handed to the socket; without polls."
        ) { samples in
            for (index, label) in requestLabels.enumerated() {
                if let times = total[RequestKind(index: UInt8(index))] { samples.add(times, ["route": label]) }
            }
        }
    }

    /// The counts for the WebSockets of a service.
    ///
    /// - Parameter connections: the open connections.
    package static func writeConnections(
        of service: ServiceName, _ tallies: ApplicationTallies, open connections: [ApplicationName: Int],
        _ names: [ApplicationName], to out: inout PrometheusText
    ) {
        out.family("connections", .gauge, "Open WebSocket connections.", of: service, names) {
            connections[names[$0.index], default: 0]
        }
        let families: [(String, String, KeyPath<ApplicationTally, Int>)] = [
            ("connections_accepted_total", "WebSocket connections whose handshake was completed.", \.connectionsAccepted),
            ("messages_received_total", "Messages from WebSocket clients.", \.messagesReceived),
            ("received_bytes_total", "Bytes from WebSocket clients, including frame headers.", \.bytesReceived),
            ("messages_sent_total", "Messages to WebSocket clients.", \.messagesSent),
            ("sent_bytes_total", "Bytes of messages to WebSocket clients, including frame headers.", \.bytesSent),
            ("slow_subscribers_cut_total", "Connections closed because the client read too slowly.", \.slowSubscribersCut),
            ("dead_connections_cut_total", "Connections closed because nothing was received.", \.deadConnectionsCut),
        ]
        for (name, help, path) in families {
            out.family(name, .counter, help, of: service, names) { tallies.value(path, at: $0) }
        }
    }
}
