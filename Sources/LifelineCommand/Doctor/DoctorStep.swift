/// One step of the diagnosis, in the order of execution.
enum DoctorStep: String, CaseIterable, Hashable, Sendable {
    case configuration, resolution, connection, proxy, tls, http, clock
    case upgrade, handshake, ping
    case session, subscription
    case privateSubscription = "private-subscription"
    case roundTrip = "round-trip"

    /// The name of the step in output for people.
    var title: String {
        switch self {
        case .configuration: "configuration"
        case .resolution: "name resolution"
        case .connection: "TCP connection"
        case .proxy: "proxy"
        case .tls: "TLS"
        case .http: "HTTP"
        case .clock: "clock"
        case .upgrade: "WebSocket upgrade"
        case .handshake: "handshake"
        case .ping: "ping"
        case .session: "session"
        case .subscription: "subscription"
        case .privateSubscription: "private channel"
        case .roundTrip: "round trip"
        }
    }

    /// Whether all later steps depend on this one.
    var isFundamental: Bool {
        switch self {
        case .resolution, .connection, .proxy, .tls, .upgrade, .handshake, .session: true
        case .configuration, .http, .clock, .ping, .subscription, .privateSubscription, .roundTrip: false
        }
    }

    /// The steps that examine a service.
    static func plan(for service: ServiceKind) -> [DoctorStep] {
        let network: [DoctorStep] = [.configuration, .resolution, .connection, .proxy, .tls, .http, .clock]
        return switch service {
        case .pusher: network + [.upgrade, .handshake, .ping, .subscription, .privateSubscription, .roundTrip]
        case .pubnub, .nexconn: network + [.session, .roundTrip]
        }
    }
}
