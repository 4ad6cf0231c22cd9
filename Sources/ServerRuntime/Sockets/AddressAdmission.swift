import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import ServerValues

/// Which connections are taken, by the address that they come from (rules SV-50 and SV-51).
///
/// Without a proxy that is the other end of the socket, and a connection too many is reset before anything of it is read, TLS included.
/// Behind a proxy that is believed it is the client that the proxy names, and its WebSocket handshake gets 429; other requests are the
/// proxy's to limit, since it sends those of many clients over one connection.
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

    /// How long the log is spared the next line.
    private static let silence = Duration.seconds(60)

    /// - Parameters:
    ///   - limits: for each address.
    ///   - isBehindProxy: whether a proxy is believed that says from whom a request comes.
    ///   - limitsLoopback: whether programs of this machine are limited, too.
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

    /// How many connections and handshakes have been refused.
    package var refused: Int { state.withLockedValue(\.refused) }

    /// The client that a request comes from, as far as one client's share is counted by its address; nil for an address that is not known, and
    /// for programs of this machine unless they are limited.
    package func client(_ fields: HTTPHeaders, of channel: any Channel) -> RemoteAddress? {
        let address =
            isBehindProxy
            ? RequestOrigin(fields, usesTLS: false, address: nil, trustsProxyHeaders: true).address
                .flatMap { RemoteAddress(named: $0) } : RemoteAddress(channel.remoteAddress)
        return address.flatMap { limitsLoopback || !$0.isLoopback ? $0 : nil }
    }

    /// Counts a socket that has been accepted; false when it has to be closed.
    package func admit(_ channel: any Channel) -> Bool {
        isBehindProxy || admit(RemoteAddress(channel.remoteAddress), of: channel)
    }

    /// Counts a WebSocket of the client that a proxy names; false when it has to be refused.
    package func admit(named address: String?, on channel: any Channel) -> Bool {
        !isBehindProxy || admit(address.flatMap { RemoteAddress(named: $0) }, of: channel)
    }

    /// - Parameter address: nil when it is not known; then there is nothing to limit.
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
                    "connections are refused, since their address has too many (maxConnectionsPerAddress, connectionRatePerAddress)"
                )
            }
            return false
        }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLockedValue { $0.limits.close(address, at: clock.monotonic()) }
        }
        return true
    }
}
