/// Statistics in the text format of Prometheus, version 0.0.4.
enum PrometheusText {
    static func text(_ statistics: ServerStatistics) -> String {
        let metrics: [(name: String, type: String, help: String, value: Int)] = [
            ("connections", "gauge", "Open WebSocket connections.", statistics.connections),
            ("channels", "gauge", "Channels with at least one subscription.", statistics.channels),
            ("connections_accepted_total", "counter", "WebSocket connections accepted.", statistics.connectionsAccepted),
            ("connections_refused_total", "counter", "WebSocket connections refused.", statistics.connectionsRefused),
            ("messages_received_total", "counter", "Messages from WebSocket clients.", statistics.messagesReceived),
            ("messages_sent_total", "counter", "Messages to WebSocket clients.", statistics.messagesSent),
            ("sent_bytes_total", "counter", "Bytes of messages to WebSocket clients.", statistics.bytesSent),
            ("slow_subscribers_cut_total", "counter", "Connections cut for reading too slowly.", statistics.slowSubscribersCut),
            ("dead_connections_cut_total", "counter", "Connections cut for being silent.", statistics.deadConnectionsCut),
            ("held_polls", "gauge", "PubNub polls being held.", statistics.heldPolls),
            ("polls_total", "counter", "PubNub polls.", statistics.polls),
            ("messages_published_total", "counter", "Messages published through the PubNub API.", statistics.messagesPublished),
            ("messages_polled_total", "counter", "Messages in answers to PubNub polls.", statistics.messagesPolled),
            ("chat_messages_total", "counter", "Chat messages stored.", statistics.chatMessages),
            ("webhook_events_total", "counter", "Events told by webhooks.", statistics.webhookEvents),
            (
                "webhook_events_dropped_total", "counter", "Events that webhooks gave up.",
                statistics.webhookEventsDropped
            ),
            ("chat_refusals_total", "counter", "Frames of chat sessions that could not be read.", statistics.chatRefusals),
            ("http_requests_total", "counter", "HTTP requests answered.", statistics.requests),
            ("http_requests_refused_total", "counter", "HTTP requests answered with an error.", statistics.requestsRefused),
        ]
        return metrics.map { metric in
            "# HELP lifeline_\(metric.name) \(metric.help)\n# TYPE lifeline_\(metric.name) \(metric.type)\n"
                + "lifeline_\(metric.name) \(metric.value)\n"
        }.joined()
    }
}
