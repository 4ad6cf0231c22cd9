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
        var out = Array(#"{"channels":{"#.utf8)
        for (index, channel) in request.channels.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(channel, to: &out)
            out.append(UInt8(ascii: ":"))
            Self.append(attributes(of: channel, request.info, application), to: &out)
        }
        out.append(contentsOf: "}}".utf8)
        return HTTPAnswer(.json, out)
    }

    func publish(_ batch: [PublishRequest], _ application: Application) throws(HTTPProblem) -> HTTPAnswer {
        try checkRoom(for: batch.lazy.flatMap(\.channels), application)
        try service.channels.spend(publishes: batch.count, of: application)
        for request in batch { send(request, application) }
        guard batch.contains(where: { !$0.info.isEmpty }) else { return .empty }
        var out = Array(#"{"batch":["#.utf8)
        for (index, request) in batch.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            Self.append(request.channels.first.map { attributes(of: $0, request.info, application) } ?? [], to: &out)
        }
        out.append(contentsOf: "]}".utf8)
        return HTTPAnswer(.json, out)
    }

    /// Whole requests wait, so that none is performed in part (rule SV-14).
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
