import Foundation

/// A change of the connection's status.
#if canImport(ObjectiveC)
    @objc(NCConnectionStatusChangedEvent)
#endif
public final class ConnectionStatusChangedEvent: NSObject, Sendable {
    /// The new status.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public let status: NCConnectionStatus
    /// The cause, the number of failed attempts, and the time of the next one. An addition to the vendor's SDK.
    public let details: NCConnectionDetails

    init(_ details: NCConnectionDetails) {
        status = details.status
        self.details = details
    }
}

#if canImport(ObjectiveC)
    /// Hears about the connection. Every method is optional.
    @objc(NCConnectionStatusHandler) public protocol ConnectionStatusHandler: AnyObject {
        @objc optional func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent)
    }

    extension ConnectionStatusHandler {
        func tell(_ event: ConnectionStatusChangedEvent) { onConnectionStatusChanged?(event) }
    }
#else
    /// Gets changes of the connection's status. Every method is optional.
    ///
    /// Called on the callback queue, in the order of the events (rule NC-20).
    public protocol ConnectionStatusHandler: AnyObject {
        /// The status has changed. It always differs from the previous one.
        func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent)
    }

    extension ConnectionStatusHandler {
        public func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {}

        func tell(_ event: ConnectionStatusChangedEvent) { onConnectionStatusChanged(event) }
    }
#endif
