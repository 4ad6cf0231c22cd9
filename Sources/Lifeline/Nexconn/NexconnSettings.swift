import NexconnProtocol

/// Everything that the Nexconn adapter is told.
struct NexconnSettings: Sendable {
    var appKey: String
    var host: ServiceHost
    /// In front of the session's path, for servers behind a proxy.
    var path: String?
    var access: NexconnAccess
    var device: NexconnDevice
    /// Whether this device gives way to another one of its class that signed in while it was away.
    var yields: Bool
    var tracksPresence: Bool

    static let serviceName = "Nexconn Chat"
}

/// What kind of device a client is: a user may have one of each class connected at a time.
public enum NexconnDeviceClass: String, CaseIterable, Hashable, Sendable {
    /// Phones and tablets.
    case mobile
    /// Computers.
    case desktop
    /// Browsers, and programs that ask one question.
    case web
}

extension Service {
    /// A server that speaks Lifeline's chat session, such as `lifeline serve`; Nexconn's own servers do not.
    ///
    /// Channels are named `direct:USER`, `group:ID`, `system:ID` and `open:ID`; any other name is that of an open channel. Direct
    /// and system channels bring what is sent to the user, groups want their members, and open channels are entered by subscribing.
    /// The event of a message is the name of its type and its data the content.
    ///
    /// What waited for the user while no device was there comes to the first direct, group or system channel that is subscribed;
    /// what is for others is dropped. Subscribe before connecting to miss nothing.
    ///
    /// - Parameters:
    ///   - access: who the user is.
    ///   - path: put in front of `/nexconn/v1` and `/v4`, for servers behind a proxy.
    ///   - device: the id of this installation, 1 to 64 characters; nil draws one for the client. Another client with the same id, or
    ///     of the same class and user, takes this one's place: the status is `failed` with `kicked` then.
    ///   - yields: whether it is this client that goes when it comes back from an outage and finds such another one.
    ///   - presence: whether to find out who is in open channels. Costs a request for each channel and connection.
    public static func nexconn(
        appKey: String, host: ServiceHost, path: String? = nil, access: NexconnAccess, device: String? = nil,
        deviceClass: NexconnDeviceClass = .mobile, yields: Bool = false, presence: Bool = true
    ) -> Service {
        let settings = NexconnSettings(
            appKey: appKey, host: host, path: path, access: access,
            device: NexconnDevice(
                id: device ?? NexconnSettings.randomID(), class: .init(rawValue: deviceClass.rawValue) ?? .mobile,
                system: NexconnSettings.system),
            yields: yields, tracksPresence: presence)
        return Service(name: NexconnSettings.serviceName) { options in
            NexconnAdapter.live(settings, options)
        }
    }
}

extension NexconnSettings {
    /// 128 random bits as text: for devices, and for messages, which the server knows again by it.
    static func randomID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    static var system: String {
        #if os(iOS)
            "iOS"
        #elseif os(macOS)
            "macOS"
        #elseif os(tvOS)
            "tvOS"
        #elseif os(watchOS)
            "watchOS"
        #else
            "Linux"
        #endif
    }
}
