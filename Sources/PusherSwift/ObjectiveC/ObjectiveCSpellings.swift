#if canImport(ObjectiveC)
    import Foundation

    extension PusherClientOptions {
        /// As `init(authMethod:autoReconnect:host:port:useTLS:activityTimeout:)`.
        @objc public convenience init(
            ocAuthMethod authMethod: OCAuthMethod, autoReconnect: Bool = true,
            ocHost host: OCPusherHost = PusherHost.defaultHost.toObjc(), port: NSNumber? = nil, useTLS: Bool = true,
            activityTimeout: NSNumber? = nil
        ) {
            self.init(
                ocAuthMethod: authMethod, attemptToReturnJSONObject: true, autoReconnect: autoReconnect, ocHost: host,
                port: port, useTLS: useTLS, activityTimeout: activityTimeout)
        }

        /// As `init(authMethod:attemptToReturnJSONObject:autoReconnect:host:port:useTLS:activityTimeout:)`.
        @objc public convenience init(
            ocAuthMethod authMethod: OCAuthMethod, attemptToReturnJSONObject: Bool, autoReconnect: Bool = true,
            ocHost host: OCPusherHost = PusherHost.defaultHost.toObjc(), port: NSNumber? = nil, useTLS: Bool = true,
            activityTimeout: NSNumber? = nil
        ) {
            self.init(
                authMethod: authMethod.method, attemptToReturnJSONObject: attemptToReturnJSONObject,
                autoReconnect: autoReconnect, host: host.host, port: port?.intValue, useTLS: useTLS,
                activityTimeout: activityTimeout?.doubleValue)
        }

        /// As `init(authMethod:)`.
        @objc public convenience init(authMethod: OCAuthMethod) {
            self.init(authMethod: authMethod.method)
        }

        /// Sets how channels are authorised.
        @objc public func setAuthMethod(authMethod: OCAuthMethod) {
            self.authMethod = authMethod.method
        }
    }

    extension PusherConnection {
        /// `reconnectAttemptsMax` for Objective-C, which has no optional integers.
        @objc public var OCReconnectAttemptsMax: NSNumber? {
            get { reconnectAttemptsMax.map { NSNumber(value: $0) } }
            set { reconnectAttemptsMax = newValue?.intValue }
        }

        /// `maxReconnectGapInSeconds` for Objective-C, which has no optional numbers.
        @objc public var OCMaxReconnectGapInSeconds: NSNumber? {
            get { maxReconnectGapInSeconds.map { NSNumber(value: $0) } }
            set { maxReconnectGapInSeconds = newValue?.doubleValue }
        }
    }

    extension Pusher {
        /// As `subscribe(_:onMemberAdded:onMemberRemoved:)`, with the selector that Pusher's README shows.
        @objc(subscribeWithChannelName:onMemberAdded:onMemberRemoved:)
        public func objcSubscribe(
            channelName: String, onMemberAdded: ((PusherPresenceChannelMember) -> Void)?,
            onMemberRemoved: ((PusherPresenceChannelMember) -> Void)?
        ) -> PusherChannel {
            subscribe(channelName, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved)
        }
    }
#endif
