import NIOCore
import NIOSSL
import ServerValues

extension ServerContext {
    /// Closes the connection of an event loop that has been without a complete request for the longest time (rule CO-7); returns
    /// false when there is none, or when connections are not replaced here. Call it on that event loop.
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
    /// Whether no complete request has arrived since the last answer.
    fileprivate var isReplaceable: Bool {
        outgoing == nil && context?.channel.isActive == true && machine.isReplaceable
    }

    fileprivate func giveWay() {
        perform(machine.giveWay())
    }

    /// Closes the socket at once. With the usual close, TLS would wait for the peer's `close_notify`.
    func closeAtOnce() {
        guard let context else { return }
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? context).close(promise: nil)
    }
}
