import NIOCore
import NIOHTTP1
import ServerValues

/// Receives the body of a request: applies its size limit, and reserves memory within the shares of the client's address and the
/// application.
extension HTTPConnection {
    /// Appends received bytes to the request's body, or refuses the request when it exceeds a limit.
    func take(_ bytes: ByteBuffer) {
        guard phase == .reading else { return }
        let size = machine.bodyBytes + bytes.readableBytes
        switch machine.gotBody(bytes.readableBytes, hasRoom: hasRoom(for: size)) {
        case .ignore: return
        case .refuse(let refusal): return perform(.refuse(refusal))
        case .append: break
        }
        if size > incoming?.reserved ?? BodyBudget.smallBytes {
            guard let large = grow(incoming ?? LargeBody(), to: size) else { return perform(.refuse(.tooManyLargeBodies)) }
            incoming = large
            // The array gets exactly the reserved capacity, because an array that grows by itself doubles its size.
            body.reserveCapacity(large.reserved)
        }
        body.append(contentsOf: bytes.readableBytesView)
    }

    private func grow(_ large: LargeBody, to size: Int) -> LargeBody? {
        guard case .request(let head, let target) = content else { return nil }
        let owner = bodyOwner(head, try? target.get())
        return large.grow(to: size, limit: machine.bodyLimit, for: owner, in: core.bodies) ? large : nil
    }

    /// Reserves memory for a body of `count` bytes so far; returns false when there is not enough memory (rule SV-86).
    private func hasRoom(for count: Int) -> Bool {
        guard count > SmallBodyBudget.freeBytes else { return true }
        guard count <= BodyBudget.smallBytes else {
            // The body is now a large one, with a separate reservation.
            smallBody = nil
            return true
        }
        let room = min((count / SmallBodyBudget.step + 1) * SmallBodyBudget.step, BodyBudget.smallBytes)
        if let smallBody { return smallBody.grow(to: room) }
        guard case .request(let head, _) = content else { return false }
        smallBody = core.smallBodies.reserve(room, for: client(head.headers))
        return smallBody != nil
    }

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

    /// The address and the application against whose shares of ``ServerContext/bodies`` a body of this connection's request counts.
    package func bodyOwner(_ fields: HTTPHeaders, application: String?) -> BodyOwner {
        BodyOwner(address: client(fields), application: application)
    }

    /// The client's address of a request; nil when it is not known or not limited (rule SV-81).
    package func client(_ fields: HTTPHeaders) -> RemoteAddress? {
        context.flatMap { core.addresses.client(fields, of: $0.channel) }
    }
}
