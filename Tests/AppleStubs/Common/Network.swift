// Declarations of Apple's Network, as far as this package uses them. Only checked, never run.
@_exported import Dispatch
@_exported import Foundation
@_exported import Security

private func unreachable() -> Never { fatalError() }

public enum NWError: Error, Equatable {
    case posix(POSIXErrorCode)
    case dns(Int32)
    case tls(Int32)
}

public enum NWEndpoint: Hashable, Sendable {
    public struct Host: Hashable, Sendable {
        public init(_ string: String) { unreachable() }
    }

    public struct Port: Hashable, Sendable {
        public init?(rawValue: UInt16) { unreachable() }
    }

    case hostPort(host: Host, port: Port)
    case unix(path: String)
}

public struct NWInterface: Hashable, Sendable {
    public enum InterfaceType: Sendable {
        case other
        case wifi
        case cellular
        case wiredEthernet
        case loopback
    }

    public let name: String
    public let index: Int
}

public struct NWPath: Equatable, Sendable {
    public enum Status: Sendable {
        case satisfied
        case unsatisfied
        case requiresConnection
    }

    public let status: Status
    public let availableInterfaces: [NWInterface]
    public let gateways: [NWEndpoint]
    public let localEndpoint: NWEndpoint?
}

public final class NWPathMonitor: Sendable {
    public init() { unreachable() }
    public var currentPath: NWPath { unreachable() }
    @preconcurrency public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { unreachable() }
        set { unreachable() }
    }
    public func start(queue: DispatchQueue) { unreachable() }
    public func cancel() { unreachable() }
}

open class NWProtocolOptions {}

public class NWProtocolTCP {
    public class Options: NWProtocolOptions {
        public override init() { unreachable() }
        public var noDelay: Bool {
            get { unreachable() }
            set { unreachable() }
        }
        public var enableKeepalive: Bool {
            get { unreachable() }
            set { unreachable() }
        }
        public var keepaliveIdle: Int {
            get { unreachable() }
            set { unreachable() }
        }
        public var keepaliveInterval: Int {
            get { unreachable() }
            set { unreachable() }
        }
        public var keepaliveCount: Int {
            get { unreachable() }
            set { unreachable() }
        }
        public var connectionDropTime: Int {
            get { unreachable() }
            set { unreachable() }
        }
    }
}

public class NWProtocolTLS {
    public class Options: NWProtocolOptions {
        public override init() { unreachable() }
        public var securityProtocolOptions: sec_protocol_options_t { unreachable() }
    }
}

public class NWParameters {
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
    public class PrivacyContext {
        public init(description: String) { unreachable() }
        public var proxyConfigurations: [ProxyConfiguration] {
            get { unreachable() }
            set { unreachable() }
        }
    }

    public var prohibitConstrainedPaths: Bool {
        get { unreachable() }
        set { unreachable() }
    }
    public var prohibitExpensivePaths: Bool {
        get { unreachable() }
        set { unreachable() }
    }
    public var prohibitedInterfaceTypes: [NWInterface.InterfaceType]? {
        get { unreachable() }
        set { unreachable() }
    }

    @available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
    public func setPrivacyContext(_ privacyContext: PrivacyContext) { unreachable() }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
public struct ProxyConfiguration: Equatable {
    public init(httpCONNECTProxy: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) { unreachable() }
    public var allowFailover: Bool {
        get { unreachable() }
        set { unreachable() }
    }
    public mutating func applyCredential(username: String, password: String) { unreachable() }
    public static func == (left: ProxyConfiguration, right: ProxyConfiguration) -> Bool { unreachable() }
}
