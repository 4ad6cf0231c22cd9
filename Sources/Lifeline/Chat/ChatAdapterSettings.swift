import ChatProtocol

/// The arguments of ``Service/nexconn(appKey:host:path:access:device:deviceClass:yields:presence:)``.
struct ChatAdapterSettings: Sendable {
    var appKey: String
    var host: ServiceHost
    /// A path prefix of the session's URL, for servers behind a proxy; nil for none.
    var path: String?
    var access: NexconnAccess
    var device: ChatDevice
    /// Whether this device gives up its session if another device of its class signed in while this device was offline.
    var yields: Bool
    var tracksPresence: Bool

    static let serviceName = "Nexconn Chat"
}

/// Classes of devices. At most one device of each class can be connected for a user at a time.
public enum NexconnDeviceClass: String, CaseIterable, Hashable, Sendable {
    /// Phones and tablets.
    case mobile
    /// Computers.
    case desktop
    /// The class for browsers, and for programs that make only a single call.
    case web
}

extension Service {
    /// A server that supports Lifeline's chat session protocol, such as `lifeline serve`. Nexconn's own servers do not support it.
    ///
    /// Channels are named `direct:USER`, `group:ID`, `system:ID` and `open:ID`; any other name is that of an open channel. Direct and
    /// system channels deliver messages to the user, groups can be subscribed by their members, and subscribing to an open channel enters
    /// it. The event of a message is its type name; the data is its content.
    ///
    /// Messages that the server stored while no device of the user was connected are delivered once the first direct, group or system
    /// channel is subscribed. Messages of channels that are not subscribed at that moment are dropped, so subscribe all channels before
    /// connecting.
    ///
    /// - Parameters:
    ///   - appKey: the application's key.
    ///   - host: the server's address.
    ///   - path: a prefix of `/nexconn/v1` and `/v4`, for servers behind a proxy.
    ///   - access: how the client gets the access token of the user.
    ///   - device: the id of this installation, 1 to 64 characters; nil for a random one. Another client with the same id, or with the same
    ///     class and user, ends this client's session: the phase becomes `failed` with the category `kicked`.
    ///   - deviceClass: the class of this device.
    ///   - yields: whose session ends when this client reconnects after an outage, during which another client of the same class has signed
    ///     in: true ends this client's session, false the other client's.
    ///   - presence: whether ``Room/presence`` of open channels is kept up to date. It costs a request for each channel and connection.
    public static func nexconn(
        appKey: String, host: ServiceHost, path: String? = nil, access: NexconnAccess, device: String? = nil,
        deviceClass: NexconnDeviceClass = .mobile, yields: Bool = false, presence: Bool = true
    ) -> Service {
        let settings = ChatAdapterSettings(
            appKey: appKey, host: host, path: path, access: access,
            device: ChatDevice(
                id: device ?? ChatAdapterSettings.randomID(), class: .init(rawValue: deviceClass.rawValue) ?? .mobile,
                system: ChatAdapterSettings.system),
            yields: yields, tracksPresence: presence)
        return Service(name: ChatAdapterSettings.serviceName) { options, parts in
            ChatAdapter.on(parts, settings, options: options)
        }
    }
}

extension ChatAdapterSettings {
    /// A random device id or message id of 128 bits as text. By the message id the server recognises a repeated message.
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
        #elseif os(visionOS)
            "visionOS"
        #else
            "Linux"
        #endif
    }
}
