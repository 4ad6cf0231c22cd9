import NIOCore
import NIOSSL
import ServerValues

extension ServerContext {
    /// Closes one connection of an event loop: the one that has been without a complete request for the longest time (rule CO-7). Returns
    /// false when no connection may be closed, or when this server does not replace connections. Call it on that event loop.
    func closeIdleConnection(on eventLoop: any EventLoop) -> Bool {
        guard settings.replacesIdleConnections, let loop = loops.first(where: { $0.eventLoop === eventLoop }) else {
            return false
        }
        let idle = loop.state.requesters.all.lazy.filter(\.isReplaceable).min { $0.machine.since < $1.machine.since }
        guard let idle else { return false }
        idle.giveWay()
        return true
    }
}

extension HTTPConnection {
    /// Whether this connection may be closed to make room: no complete request has arrived since its last answer.
    fileprivate var isReplaceable: Bool {
        outgoing == nil && context?.channel.isActive == true && machine.isReplaceable
    }

    fileprivate func giveWay() {
        perform(machine.giveWay())
    }

    /// Closes the socket at once. The channel's usual close would wait for the peer's `close_notify` when TLS is used.
    func closeAtOnce() {
        guard let context else { return }
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? context).close(promise: nil)
    }
}
