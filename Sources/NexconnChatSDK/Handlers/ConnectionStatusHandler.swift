import Foundation

/// A change of the connection's status.
#if canImport(ObjectiveC)
    @objc(NCConnectionStatusChangedEvent)
#endif
public final class ConnectionStatusChangedEvent: NSObject, Sendable {
    /// Where the connection is now.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public let status: NCConnectionStatus
    /// Why, how often it was tried, and when the next attempt comes. An addition to the vendor's SDK.
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
    /// Hears about the connection. Every method is optional.
    ///
    /// Called on the library's callback queue, in the order in which things happened (rule NC-20).
    public protocol ConnectionStatusHandler: AnyObject {
        /// The status has changed. It always differs from the one that was told before.
        func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent)
    }

    extension ConnectionStatusHandler {
        public func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {}

        func tell(_ event: ConnectionStatusChangedEvent) { onConnectionStatusChanged(event) }
    }
#endif
