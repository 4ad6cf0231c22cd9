import NIOHTTP1
import ServerValues

/// How long a request's body may be and take, and whose share it counts against.
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

    /// Whose share of ``ServerContext/bodies`` a body of this connection's request counts against.
    package func bodyOwner(_ fields: HTTPHeaders, application: String?) -> BodyOwner {
        BodyOwner(address: client(fields), application: application)
    }

    /// The address that a request comes from; nil where it is not known or not limited (rule SV-81).
    package func client(_ fields: HTTPHeaders) -> RemoteAddress? {
        context.flatMap { core.addresses.client(fields, of: $0.channel) }
    }

    /// How much longer the body of a request may take than ``RuntimeSettings/requestTimeout``, for what of it has come.
    func extraTime(_ head: HTTPRequestHead, _ target: RequestTarget?) -> Duration {
        guard bodyLimit(head, target) > BodyBudget.smallBytes else { return .zero }
        return .seconds(bodyBytes / BodyBudget.bytesPerSecond)
    }
}
