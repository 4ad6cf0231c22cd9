// Declarations of swift-nio-transport-services, which has nothing on Linux, as far as this package uses them. Only checked, never run.
import NIOCore
import Network

private func unreachable() -> Never { fatalError() }

public final class NIOTSEventLoopGroup: EventLoopGroup {
    public static var singleton: NIOTSEventLoopGroup { unreachable() }
    public func next() -> any EventLoop { unreachable() }
    public func makeIterator() -> EventLoopIterator { unreachable() }
    public func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) { unreachable() }
    public func preconditionInEventLoop(file: StaticString, line: UInt) { unreachable() }
}

public struct NIOTSChannelOptions: Sendable {
    public struct WaitForActivity: ChannelOption, Equatable {
        public typealias Value = Bool
    }

    public static let waitForActivity = WaitForActivity()
}

public enum NIOTSNetworkEvents: Sendable {
    public struct BetterPathAvailable: Equatable, Sendable {}
    public struct ViabilityUpdate: Equatable, Sendable {
        public var isViable: Bool
    }
}

public final class NIOTSConnectionBootstrap {
    public init?(validatingGroup group: any EventLoopGroup) { unreachable() }
    public func channelInitializer(_ handler: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>) -> Self {
        unreachable()
    }
    public func channelOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> Self { unreachable() }
    public func connectTimeout(_ timeout: TimeAmount) -> Self { unreachable() }
    public func tcpOptions(_ options: NWProtocolTCP.Options) -> Self { unreachable() }
    public func tlsOptions(_ options: NWProtocolTLS.Options) -> Self { unreachable() }
    public func configureNWParameters(_ configurator: @Sendable @escaping (NWParameters) -> Void) -> Self { unreachable() }
    public func connect(endpoint: NWEndpoint) -> EventLoopFuture<any Channel> { unreachable() }
}
