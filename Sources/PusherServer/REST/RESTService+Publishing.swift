import ServerRuntime
import ServerStorage
import WireCoding

/// Publishing events and closing connections. Pusher HTTP API.
extension RESTService {
    func publish(_ request: PublishRequest, _ application: Application) throws(HTTPProblem) -> HTTPAnswer {
        try checkRoom(for: request.channels, application)
        try service.channels.spend(publishes: request.channels.count, of: application)
        send(request, application)
        guard !request.info.isEmpty else { return .empty }
        return .channels(request.channels.map { ($0, object(of: $0, request.info, application)) })
    }

    func publish(_ batch: [PublishRequest], _ application: Application) throws(HTTPProblem) -> HTTPAnswer {
        try checkRoom(for: batch.lazy.flatMap(\.channels), application)
        try service.channels.spend(publishes: batch.count, of: application)
        for request in batch { send(request, application) }
        guard batch.contains(where: { !$0.info.isEmpty }) else { return .empty }
        return .batch(batch.map { request in request.channels.first.map { object(of: $0, request.info, application) } ?? "{}" })
    }

    /// Publishes events that a node has checked and counted. Returns the requested channel attributes, as JSON objects in the order of the
    /// requests (rule CP-75).
    func publish(checked requests: [PublishRequest], _ application: Application) -> [String] {
        for request in requests { send(request, application) }
        return requests.filter { !$0.info.isEmpty }.flatMap { request in
            request.channels.map { object(of: $0, request.info, application) }
        }
    }

    /// The requested attributes of a channel, as a JSON object.
    func object(of channel: String, _ info: ChannelAttributes, _ application: Application) -> String {
        Self.object(attributes(of: channel, info, application))
    }

    /// Throws if the queues of subscribers of one of the channels are full. The whole request then waits, so that no request is performed
    /// in part (rule SV-14).
    private func checkRoom(for channels: some Sequence<String>, _ application: Application) throws(HTTPProblem) {
        let full = service.congestion(of: channels, in: application)
        guard full.isEmpty else { throw .congested(full) }
    }

    private func send(_ request: PublishRequest, _ application: Application) {
        for channel in request.channels {
            service.publish(
                event: request.event, data: request.data, to: channel, application: application, excluding: request.excluded)
        }
    }

    func terminate(_ user: String, _ application: Application) throws(HTTPProblem) -> HTTPAnswer {
        try service.channels.spendQuery(of: application)
        service.channels.close(.terminated, application: application.id, user: user)
        return .empty
    }
}

extension HTTPAnswer {
    /// The answer to an event whose request asks for attributes: a JSON object with the attributes of each channel.
    static func channels(_ attributes: some Sequence<(String, String)>) -> HTTPAnswer {
        var out = Array(#"{"channels":{"#.utf8)
        for (index, (channel, object)) in attributes.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(channel, to: &out)
            out.append(UInt8(ascii: ":"))
            out.append(contentsOf: object.utf8)
        }
        out.append(contentsOf: "}}".utf8)
        return HTTPAnswer(.json, out)
    }

    /// The answer to a batch whose events ask for attributes: a JSON array with one object for each event.
    static func batch(_ attributes: [String]) -> HTTPAnswer {
        HTTPAnswer(.json, Array((#"{"batch":["# + attributes.joined(separator: ",") + "]}").utf8))
    }
}
