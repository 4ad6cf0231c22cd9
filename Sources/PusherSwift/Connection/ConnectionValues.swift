import Foundation

/// The mutable values of a connection: its settings, channels and callbacks, and the state that was last reported to the app.
struct ConnectionValues {
    var options: PusherClientOptions
    var channels = PusherChannels()
    /// The channel whose callbacks get every event; nil until it is first used.
    var global: GlobalChannel?
    var URLSession: PusherURLSession
    var userDataFetcher: (() -> PusherPresenceChannelMember)?
    var onStatusChange: ((PusherConnectionStatus) -> Void)?
    var onNetworkChange: ((Bool) -> Void)?
    var settings = ConnectionSettings()
    var stateStreams = StreamEnds<ConnectionState>()
    var statusStreams = StreamEnds<PusherConnectionStatus>()
    /// The code of the latest `pusher:error` during the present attempt to connect; nil if there was none.
    var reportedCode: Int?
    /// The last state that was reported to the delegate's `changedConnectionState(from:to:)`.
    var delivered = ConnectionState.disconnected

    init(options: PusherClientOptions, URLSession: PusherURLSession) {
        self.options = options
        self.URLSession = URLSession
        settings.timing = options.timing
        settings.autoReconnect = options.autoReconnect
        settings.retryPolicy = options.retryPolicy
        settings.backgroundGrace = options.backgroundGrace
        settings.liveness = options.liveness
        if let seconds = options.activityTimeout { settings.activityTimeout = .chosen(seconds) }
    }
}

extension ConnectionSettings.Choice {
    func seconds(documented: Double?) -> Double? {
        if case .chosen(let seconds) = self { seconds } else { documented }
    }
}

extension ConnectionSettings {
    var activityTimeoutInterval: TimeInterval {
        activityTimeout.seconds(documented: nil) ?? Self.documentedActivityTimeout
    }

    var pongTimeoutInterval: TimeInterval {
        pongTimeout.seconds(documented: nil) ?? Self.documentedPongTimeout
    }
}
