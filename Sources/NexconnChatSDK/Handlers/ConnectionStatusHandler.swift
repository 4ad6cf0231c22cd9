import Foundation

/// The event that the connection's status changed.
#if canImport(ObjectiveC)
    @objc(NCConnectionStatusChangedEvent)
#endif
public final class ConnectionStatusChangedEvent: NSObject, Sendable {
    /// The new status.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public let status: NCConnectionStatus
    /// The cause of the change, the number of failed attempts, and the time until the next attempt. An addition to the vendor's SDK.
    public let details: NCConnectionDetails

    init(_ details: NCConnectionDetails) {
        status = details.status
        self.details = details
    }
}

/// The event that this device's network became available or unavailable, as the system reports it. ``ConnectionStatusChangedEvent`` reports
/// whether the server can be reached. An addition to the vendor's SDK.
#if canImport(ObjectiveC)
    @objc(NCNetworkStatusChangedEvent)
#endif
public final class NetworkStatusChangedEvent: NSObject, Sendable {
    /// Whether a network is available now.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public let isAvailable: Bool

    init(isAvailable: Bool) {
        self.isAvailable = isAvailable
    }
}

#if canImport(ObjectiveC)
    /// Receives changes of the connection's status. Every method is optional.
    @objc(NCConnectionStatusHandler) public protocol ConnectionStatusHandler: AnyObject {
        @objc optional func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent)
        @objc optional func onNetworkStatusChanged(_ event: NetworkStatusChangedEvent)
    }

    extension ConnectionStatusHandler {
        func tell(_ event: ConnectionStatusChangedEvent) { onConnectionStatusChanged?(event) }
        func tell(_ event: NetworkStatusChangedEvent) { onNetworkStatusChanged?(event) }
    }
#else
    /// Receives changes of the connection's status. Every method is optional.
    ///
    /// The methods are called on the callback queue, in the order of the events (rule NC-20).
    public protocol ConnectionStatusHandler: AnyObject {
        /// The connection's status has changed. The new status always differs from the previous one.
        func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent)
        /// The network became available or unavailable, also while no user is signed in. Called before the resulting changes of the
        /// connection's status. An addition to the vendor's SDK (rule NC-70).
        func onNetworkStatusChanged(_ event: NetworkStatusChangedEvent)
    }

    extension ConnectionStatusHandler {
        public func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {}
        public func onNetworkStatusChanged(_ event: NetworkStatusChangedEvent) {}

        func tell(_ event: ConnectionStatusChangedEvent) { onConnectionStatusChanged(event) }
        func tell(_ event: NetworkStatusChangedEvent) { onNetworkStatusChanged(event) }
    }
#endif
