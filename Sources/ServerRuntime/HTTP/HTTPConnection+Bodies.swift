import NIOHTTP1
import ServerValues

/// The limits on the length and duration of a request's body, and the owner whose share counts it.
extension HTTPConnection {
    func bodyLimit(_ head: HTTPRequestHead, _ target: RequestTarget?) -> Int {
        let limit = core.settings.maximumRequestBytes
        var uri = head.uri
        let segments = target?.segments ?? uri.withUTF8 { RequestTarget.rawSegments(of: UnsafeRawBufferPointer($0)) }
        return host.front(of: segments)?.bodyLimit(segments, limit) ?? limit
    }

    func bodyOwner(_ head: HTTPRequestHead, _ target: RequestTarget?) -> BodyOwner {
        var uri = head.uri
        let segments = target?.segments ?? uri.withUTF8 { RequestTarget.rawSegments(of: UnsafeRawBufferPointer($0)) }
        return bodyOwner(head.headers, application: host.front(of: segments)?.bodyApplication(segments))
    }

    /// The owner whose share of ``ServerContext/bodies`` a body of this connection's request counts against.
    package func bodyOwner(_ fields: HTTPHeaders, application: String?) -> BodyOwner {
        BodyOwner(address: client(fields), application: application)
    }

    /// The address that a request comes from; nil when it is not known or not limited (rule SV-81).
    package func client(_ fields: HTTPHeaders) -> RemoteAddress? {
        context.flatMap { core.addresses.client(fields, of: $0.channel) }
    }

    /// Returns by how much the body of a request may exceed ``RuntimeSettings/requestTimeout``, based on the received bytes.
    func extraTime(_ head: HTTPRequestHead, _ target: RequestTarget?) -> Duration {
        guard bodyLimit(head, target) > BodyBudget.smallBytes else { return .zero }
        return .seconds(bodyBytes / BodyBudget.bytesPerSecond)
    }
}
