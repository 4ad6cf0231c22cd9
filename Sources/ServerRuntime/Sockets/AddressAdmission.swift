import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import ServerValues

/// Limits connections by their remote address (rules SV-50 and SV-51).
///
/// Without a proxy, the address is that of the socket, and a connection beyond the limit is reset before anything is read from it, even
/// TLS. Behind a trusted proxy, the address is that of the client as given by the proxy, and a WebSocket handshake beyond the limit is
/// answered with 429. The proxy has to limit other requests, because it sends the requests of many clients over one connection.
package final class AddressAdmission: Sendable {
    private struct State {
        var limits: AddressLimits
        var refused = 0
        var quietUntil: MonotonicInstant?
    }

    private let state: NIOLockedValueBox<State>
    private let isOn: Bool
    private let isBehindProxy: Bool
    private let limitsLoopback: Bool
    private let clock: ServerClock
    private let logger: Logger

    /// The shortest time between two log entries about refused connections.
    private static let silence = Duration.seconds(60)

    /// - Parameters:
    ///   - limits: the limits for each address.
    ///   - isBehindProxy: whether there is a trusted proxy that adds the client's address.
    ///   - limitsLoopback: whether the limits also apply to clients on this machine.
    package init(
        _ limits: AddressLimits, isBehindProxy: Bool, limitsLoopback: Bool, clock: ServerClock, logger: Logger
    ) {
        state = NIOLockedValueBox(State(limits: limits))
        isOn = limits.maximum != nil || limits.rate != nil
        self.isBehindProxy = isBehindProxy
        self.limitsLoopback = limitsLoopback
        self.clock = clock
        self.logger = logger
    }

    /// The number of refused connections and handshakes.
    package var refused: Int { state.withLockedValue(\.refused) }

    /// Returns the address whose share a request counts against; nil for an unknown address, and for clients on this machine unless limits
    /// apply to them.
    package func client(_ fields: HTTPHeaders, of channel: any Channel) -> RemoteAddress? {
        let address =
            isBehindProxy
            ? RequestOrigin(fields, usesTLS: false, address: nil, trustsProxyHeaders: true).address
                .flatMap { RemoteAddress(named: $0) } : RemoteAddress(channel.remoteAddress)
        return address.flatMap { limitsLoopback || !$0.isLoopback ? $0 : nil }
    }

    /// Counts an accepted socket for its address; returns false when the limit is reached and the socket has to be closed.
    package func admit(_ channel: any Channel) -> Bool {
        isBehindProxy || admit(RemoteAddress(channel.remoteAddress), of: channel)
    }

    /// Counts a WebSocket for the client's address that the proxy adds; returns false when the limit is reached and the WebSocket has to be
    /// refused.
    package func admit(named address: String?, on channel: any Channel) -> Bool {
        !isBehindProxy || admit(address.flatMap { RemoteAddress(named: $0) }, of: channel)
    }

    /// Counts a connection for an address until the channel closes; returns false when the limit is reached.
    ///
    /// - Parameter address: the address; nil when it is not known, so that no limit applies.
    private func admit(_ address: RemoteAddress?, of channel: any Channel) -> Bool {
        guard isOn, let address, limitsLoopback || !address.isLoopback else { return true }
        let now = clock.monotonic()
        let (isAdmitted, isNews) = state.withLockedValue { state in
            if state.limits.open(address, at: now) { return (true, false) }
            state.refused += 1
            if let quietUntil = state.quietUntil, now < quietUntil { return (false, false) }
            state.quietUntil = now.advanced(by: Self.silence)
            return (false, true)
        }
        guard isAdmitted else {
            if isNews {
                logger.warning(
                    "connections refused: one client address exceeds maxConnectionsPerAddress or connectionRatePerAddress",
                    metadata: ["address": "\(address)"])
            }
            return false
        }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLockedValue { $0.limits.close(address, at: clock.monotonic()) }
        }
        return true
    }
}
