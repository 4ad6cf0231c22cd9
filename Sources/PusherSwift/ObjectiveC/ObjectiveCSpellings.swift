import Foundation

// Replacements for members that Objective-C cannot use, because their types are optional numbers or enums with associated values. Swift
// code can use the replacements as well, as with PusherSwift 10.1. Objective-C gets the replacements because their classes are
// `@objcMembers`.

extension PusherClientOptions {
    /// As `init(authMethod:autoReconnect:host:port:useTLS:activityTimeout:)`.
    public convenience init(
        ocAuthMethod authMethod: OCAuthMethod, autoReconnect: Bool = true,
        ocHost host: OCPusherHost = PusherHost.defaultHost.toObjc(), port: NSNumber? = nil, useTLS: Bool = true,
        activityTimeout: NSNumber? = nil
    ) {
        self.init(
            ocAuthMethod: authMethod, attemptToReturnJSONObject: true, autoReconnect: autoReconnect, ocHost: host,
            port: port, useTLS: useTLS, activityTimeout: activityTimeout)
    }

    /// As `init(authMethod:attemptToReturnJSONObject:autoReconnect:host:port:useTLS:activityTimeout:)`.
    public convenience init(
        ocAuthMethod authMethod: OCAuthMethod, attemptToReturnJSONObject: Bool = true, autoReconnect: Bool = true,
        ocHost host: OCPusherHost = PusherHost.defaultHost.toObjc(), port: NSNumber? = nil, useTLS: Bool = true,
        activityTimeout: NSNumber? = nil
    ) {
        self.init(
            authMethod: authMethod.method, attemptToReturnJSONObject: attemptToReturnJSONObject,
            autoReconnect: autoReconnect, host: host.host, port: port?.intValue, useTLS: useTLS,
            activityTimeout: activityTimeout?.doubleValue)
    }

    /// As `init(authMethod:)`.
    public convenience init(authMethod: OCAuthMethod) {
        self.init(authMethod: authMethod.method)
    }

    /// Sets how channels are authorised.
    public func setAuthMethod(authMethod: OCAuthMethod) {
        self.authMethod = authMethod.method
    }
}

extension PusherConnection {
    /// `reconnectAttemptsMax` for Objective-C, which has no optional integers.
    public var OCReconnectAttemptsMax: NSNumber? {
        get { reconnectAttemptsMax.map { NSNumber(value: $0) } }
        set { reconnectAttemptsMax = newValue?.intValue }
    }

    /// `maxReconnectGapInSeconds` for Objective-C, which has no optional numbers.
    public var OCMaxReconnectGapInSeconds: NSNumber? {
        get { maxReconnectGapInSeconds.map { NSNumber(value: $0) } }
        set { maxReconnectGapInSeconds = newValue?.doubleValue }
    }
}

#if canImport(ObjectiveC)
    extension Pusher {
        /// The same as `subscribe(_:onMemberAdded:onMemberRemoved:)`, with the selector in Pusher's README.
        @objc(subscribeWithChannelName:onMemberAdded:onMemberRemoved:)
        public func objcSubscribe(
            channelName: String, onMemberAdded: ((PusherPresenceChannelMember) -> Void)?,
            onMemberRemoved: ((PusherPresenceChannelMember) -> Void)?
        ) -> PusherChannel {
            subscribe(channelName, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved)
        }
    }
#endif
