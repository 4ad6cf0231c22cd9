import RealtimeHub

/// Everything that metrics tell about a server, at one moment.
struct ServerFigures: Sendable {
    var statistics = ServerStatistics()
    /// The names of the slots of `loops`.
    var names: [MetricNames.Name] = []
    var loops: [LoopFigures] = []
    /// What waited for each event loop when it was asked.
    var queuedBytes: [Int] = []
    var maximumQueuedBytes = 0
    var connections: [MetricNames.Name: Int] = [:]
    var channels: [MetricNames.Name: ChannelTally] = [:]
    var webhooks: [MetricNames.Name: WebhookDelivery.Counts] = [:]
    /// Messages published through PubNub's API, and messages of chat applications that were stored.
    var messagesPublished: [MetricSlot: Int] = [:]
    var chatMessages: [MetricSlot: Int] = [:]
    var bridge: ServiceBridge.Counts?
    var sockets = 0
    var maximumConnections = 0
    var isReady = true
    var acceptFailures = 0
    var hasValidConfiguration = true
    /// Nil for no TLS.
    var certificate: (isValid: Bool, expires: Int)?
    var uptime = Duration.zero
    var process = ProcessFigures()
}

extension ServerFigures {
    var text: String {
        var out = PrometheusText()
        writeServer(to: &out)
        writeConnections(to: &out)
        writeChannels(to: &out)
        writeRequests(to: &out)
        writeServices(to: &out)
        writeWebhooks(to: &out)
        return out.text
    }

    private func writeServer(to out: inout PrometheusText) {
        out.family("build_info", .gauge, "The version of the server, as a label.") {
            $0.add(1, ["version": LifelineServer.version])
        }
        out.value("uptime_seconds", .gauge, "Since the server was started.", Int(uptime.components.seconds))
        out.value("ready", .gauge, "Whether /ready says so.", isReady ? 1 : 0)
        out.value(
            "configuration_valid", .gauge, "Whether the latest configuration could be taken over.",
            hasValidConfiguration ? 1 : 0)
        out.value(
            "certificate_valid", .gauge, "Whether the certificate's files can be used as they are now.",
            certificate.map { $0.isValid ? 1 : 0 })
        out.value(
            "certificate_expires_seconds", .gauge, "When the certificate that is served ends, since 1970.",
            certificate?.expires)
        out.value("process_resident_bytes", .gauge, "Memory of the process that is in use.", process.residentBytes)
        out.value("process_open_files", .gauge, "Open file descriptors, sockets included.", process.openFiles)
        out.value("process_open_files_limit", .gauge, "File descriptors that may be open.", process.maximumOpenFiles)
        out.family("event_loop_delay_seconds", .gauge, "How long each event loop took to answer this request.") { samples in
            for (index, loop) in loops.enumerated() {
                let (seconds, attoseconds) = loop.delay.components
                samples.add(
                    PrometheusText.seconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000), ["loop": String(index)])
            }
        }
        out.family("event_loop_queued_bytes", .gauge, "What waited for each event loop when it was asked.") { samples in
            for (index, bytes) in queuedBytes.enumerated() { samples.add(bytes, ["loop": String(index)]) }
        }
        out.value(
            "event_loop_queued_bytes_limit", .gauge, "Beyond this much publishers are slowed down.", maximumQueuedBytes)
        out.value(
            "publishers_held_total", .counter, "Publishers that had to wait for event loops, and requests with 503 among them.",
            loops.reduce(0) { $0 + $1.held })
    }

    private func writeConnections(to out: inout PrometheusText) {
        let total = loops.reduce(into: LoopFigures()) { $0.add($1) }
        out.value("sockets", .gauge, "Open sockets, those of HTTP requests included.", sockets)
        out.value(
            "accept_failures_total", .counter, "Times that connections waited and none could be accepted.", acceptFailures)
        out.value("connections_limit", .gauge, "WebSocket connections that may be open.", maximumConnections)
        out.family("connections", .gauge, "Open WebSocket connections.") { samples in
            for name in names where name.service != .pubnub { samples.add(connections[name, default: 0], name.labels) }
        }
        let families: [(String, String, KeyPath<ApplicationTally, Int>)] = [
            ("connections_accepted_total", "WebSocket connections accepted.", \.connectionsAccepted),
            ("messages_received_total", "Messages from WebSocket clients.", \.messagesReceived),
            ("received_bytes_total", "Bytes from WebSocket clients, frames included.", \.bytesReceived),
            ("messages_sent_total", "Messages to WebSocket clients.", \.messagesSent),
            ("sent_bytes_total", "Bytes of messages to WebSocket clients, frames included.", \.bytesSent),
            ("slow_subscribers_cut_total", "Connections cut for reading too slowly.", \.slowSubscribersCut),
            ("dead_connections_cut_total", "Connections cut for being silent.", \.deadConnectionsCut),
        ]
        for (name, help, path) in families {
            write(name, .counter, help, of: [.pusher, .chat], to: &out) { total.applications.value(path, at: $0) }
        }
        out.family("connections_refused_total", .counter, "WebSocket connections refused, by close code.") { samples in
            let sorted = total.refusals.sorted {
                ($0.key.service.rawValue, $0.key.code) < ($1.key.service.rawValue, $1.key.code)
            }
            for (refusal, count) in sorted {
                samples.add(count, ["service": refusal.service.rawValue, "code": String(refusal.code)])
            }
        }
        out.family("errors_total", .counter, "Errors told to clients whose connections went on, by code.") { samples in
            for (code, count) in total.errors.sorted(by: { $0.key < $1.key }) {
                samples.add(count, ["service": "pusher", "code": code == 0 ? "none" : String(code)])
            }
        }
        out.histogram(
            "fanout_seconds", "From the first message queued for an event loop until all queued with it were written.",
            total.fanOut)
    }

    private func writeChannels(to out: inout PrometheusText) {
        let families: [(String, PrometheusText.Kind, String, KeyPath<ChannelTally, Int>)] = [
            ("channels", .gauge, "Channels with at least one subscription.", \.channels),
            ("subscriptions", .gauge, "Subscriptions to channels.", \.subscriptions),
            ("presence_members", .gauge, "Users of presence channels, once for each channel.", \.members),
            ("events_published_total", .counter, "Events of servers, once for each channel.", \.published),
            ("client_events_total", .counter, "Events of clients that were relayed.", \.relayed),
        ]
        for (name, kind, help, path) in families {
            out.family(name, kind, help) { samples in
                for name in names where name.service == .pusher {
                    samples.add(channels[name, default: .init()][keyPath: path], name.labels)
                }
            }
        }
    }

    private func writeRequests(to out: inout PrometheusText) {
        let total = loops.reduce(into: RequestTally()) { $0.add($1.requests) }
        out.family("http_requests_total", .counter, "HTTP requests answered, by what was asked for and class of status.") {
            for kind in RequestKind.allCases {
                for digit in 1...5 {
                    let count = total.count(kind, digit: digit)
                    // The usual classes are told from the beginning.
                    if count > 0 || [2, 4, 5].contains(digit) { $0.add(count, ["route": kind.label, "status": "\(digit)xx"]) }
                }
            }
        }
    }

    private func writeServices(to out: inout PrometheusText) {
        let total = loops.reduce(into: LoopFigures()) { $0.add($1) }
        let tallies = total.applications
        write("held_polls", .gauge, "PubNub polls being held.", of: [.pubnub], to: &out) { total.heldPolls[$0, default: 0] }
        write("polls_total", .counter, "PubNub polls.", of: [.pubnub], to: &out) { tallies.value(\.polls, at: $0) }
        write("messages_published_total", .counter, "Messages published through the PubNub API.", of: [.pubnub], to: &out) {
            messagesPublished[$0, default: 0]
        }
        write("messages_polled_total", .counter, "Messages in answers to PubNub polls.", of: [.pubnub], to: &out) {
            tallies.value(\.messagesPolled, at: $0)
        }
        write("chat_messages_total", .counter, "Chat messages stored.", of: [.chat], to: &out) { chatMessages[$0, default: 0] }
        write("chat_refusals_total", .counter, "Frames of chat sessions that could not be read.", of: [.chat], to: &out) {
            tallies.value(\.framesRefused, at: $0)
        }
        out.value("bridge_messages_total", .counter, "Messages carried to other services.", bridge?.carried)
        out.value(
            "bridge_messages_dropped_total", .counter, "Messages not carried because too many waited.", bridge?.dropped)
        out.value("bridge_messages_queued", .gauge, "Messages that wait to be carried.", bridge?.queued)
    }

    /// One sample for each application of these services. Nothing counted yet is told as zero, so that rates begin where counting
    /// does.
    private func write(
        _ name: String, _ kind: PrometheusText.Kind, _ help: String, of services: [MetricNames.Service],
        to out: inout PrometheusText, _ value: (MetricSlot) -> Int
    ) {
        out.family(name, kind, help) { samples in
            for (index, name) in names.enumerated() where services.contains(name.service) {
                samples.add(value(MetricSlot(index: index)), name.labels)
            }
        }
    }

    private func writeWebhooks(to out: inout PrometheusText) {
        let families: [(String, PrometheusText.Kind, String, KeyPath<WebhookDelivery.Counts, Int>)] = [
            ("webhook_events_total", .counter, "Events told by webhooks.", \.delivered),
            ("webhook_events_dropped_total", .counter, "Events that webhooks gave up.", \.dropped),
            ("webhook_requests_failed_total", .counter, "Requests of webhooks that did not succeed.", \.failedRequests),
            ("webhook_events_queued", .gauge, "Events that wait to be told.", \.queued),
        ]
        for (name, kind, help, path) in families {
            out.family(name, kind, help) { $0.add(webhooks.mapValues { $0[keyPath: path] }) }
        }
    }
}

extension MetricNames.Name {
    fileprivate var labels: PrometheusText.Labels { ["service": service.rawValue, "app": application] }
}

extension PrometheusText.Samples {
    /// One sample for each application, in a stable order.
    fileprivate mutating func add(_ values: [MetricNames.Name: Int]) {
        let sorted = values.sorted {
            ($0.key.service.rawValue, $0.key.application) < ($1.key.service.rawValue, $1.key.application)
        }
        for (name, value) in sorted { add(value, name.labels) }
    }
}
