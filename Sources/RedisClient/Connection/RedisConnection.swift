import ConnectionEngine
import EngineRuntime
import NIOCore
import NIOPosix
import NIOSSL
import TransportCommon

/// The settings for connecting to the server.
package struct RedisEndpoint: Sendable {
    package var locator: RedisLocator
    /// The TLS settings; nil without TLS.
    package var tls: RedisTLS?
    package var handshake: RedisHandshake
    package var timing: RedisTiming
    package var limits: RedisLimits

    package init(
        host: RedisAddress.Host, tls: RedisTLS? = nil, handshake: RedisHandshake = RedisHandshake(),
        timing: RedisTiming = RedisTiming(), limits: RedisLimits = RedisLimits()
    ) {
        self.init(locator: RedisLocator(host), tls: tls, handshake: handshake, timing: timing, limits: limits)
    }

    /// - Parameter locator: finds the address of the server before each attempt to connect.
    package init(
        locator: RedisLocator, tls: RedisTLS? = nil, handshake: RedisHandshake = RedisHandshake(),
        timing: RedisTiming = RedisTiming(), limits: RedisLimits = RedisLimits()
    ) {
        self.locator = locator
        self.tls = tls
        self.handshake = handshake
        self.timing = timing
        self.limits = limits
    }
}

/// An event of a connection, or the answer to a request. Events are reported in the order in which they occur.
package enum RedisConnectionEvent: Sendable {
    case ready(RedisServer)
    case answered(UInt64, Result<RedisValue, RedisFailure>)
    case pushed(RedisPush)
    /// The connection has ended, with the reason. This is the last event of a connection.
    case closed(RedisLoss)
}

/// Owns the socket of one connection and performs the effects of a ``RedisConversation``. Made and used on one event loop.
package final class RedisConnection {
    private let endpoint: RedisEndpoint
    private let eventLoop: any EventLoop
    private let timers: any TimerScheduler
    private let report: (RedisConnectionEvent) -> Void
    private var conversation: RedisConversation
    private var decoder: RedisDecoder
    private var channel: (any Channel)?
    private var outgoing = ByteBuffer()
    private var isFlushScheduled = false
    private var isReading = true
    private var effects: [RedisConversation.Effect] = []
    private var isPerforming = false
    private var armed: (at: Moment, cancel: TimerCancellation)?

    /// Starts to connect to the server.
    ///
    /// - Parameter report: called on the event loop with each event; may call methods of the connection.
    package init(
        _ endpoint: RedisEndpoint, eventLoop: any EventLoop, timers: any TimerScheduler,
        report: @escaping (RedisConnectionEvent) -> Void
    ) {
        self.endpoint = endpoint
        self.eventLoop = eventLoop
        self.timers = timers
        self.report = report
        conversation = RedisConversation(handshake: endpoint.handshake, timing: endpoint.timing, at: timers.now)
        decoder = RedisDecoder(limits: endpoint.limits)
        arm()
        dial()
    }

    deinit {
        armed?.cancel()
        channel?.close(promise: nil)
    }

    // MARK: Requests

    /// Sends a request; exactly one `answered` event follows.
    package func submit(_ request: RedisRequest, id: UInt64, deadline: Moment) {
        run { $0.submit(request, id: id, deadline: deadline, at: $1, into: &$2) }
    }

    /// Waits for the answers to the requests that were sent, and then closes the connection.
    package func retire(_ loss: RedisLoss) {
        run { $0.retire(loss, into: &$2) }
    }

    /// Closes at once.
    package func cut(_ loss: RedisLoss) {
        run { $0.end(loss, into: &$2) }
    }

    /// Pauses or resumes reading. While reading is paused, the server has to buffer its output.
    package func setReading(_ isReading: Bool) {
        if self.isReading == isReading { return }
        self.isReading = isReading
        run { conversation, now, _ in conversation.setReading(isReading, at: now) }
        channel?.setOption(.autoRead, value: isReading).whenFailure { _ in }
        if isReading { channel?.read() }
    }

    // MARK: Machine

    private func run(_ input: (inout RedisConversation, Moment, inout [RedisConversation.Effect]) -> Void) {
        input(&conversation, timers.now, &effects)
        perform()
        arm()
    }

    /// Performs the effects of the conversation, such as writes and reports, in the order in which they arose. An effect that is added
    /// while another one is performed is performed after it.
    private func perform() {
        if isPerforming { return }
        isPerforming = true
        defer { isPerforming = false }
        while !effects.isEmpty {
            let batch = effects
            effects = []
            for effect in batch { perform(effect) }
        }
    }

    private func perform(_ effect: RedisConversation.Effect) {
        switch effect {
        case .write(let command):
            command.write(to: &outgoing)
            scheduleFlush()
        case .ready(let server): report(.ready(server))
        case .answer(let id, let result): report(.answered(id, result))
        case .push(let push): report(.pushed(push))
        case .close(let loss):
            armed?.cancel()
            armed = nil
            channel?.close(promise: nil)
            channel = nil
            report(.closed(loss))
        }
    }

    private func arm() {
        guard let alarm = conversation.alarm else { return }
        if let armed, armed.at <= alarm { return }
        armed?.cancel()
        let now = timers.now
        let bound = NIOLoopBound(Weak(self), eventLoop: eventLoop)
        let cancel = timers.schedule(after: alarm.duration(since: now)) {
            bound.eventLoop.execute { bound.value.object?.alarmRang() }
        }
        armed = (alarm, cancel)
    }

    private func alarmRang() {
        armed = nil
        run { $0.timeReached(at: $1, into: &$2) }
    }

    /// Sends all commands that are written in one turn of the event loop with one system call.
    private func scheduleFlush() {
        if isFlushScheduled { return }
        isFlushScheduled = true
        eventLoop.assumeIsolated().execute { [weak self] in self?.flush() }
    }

    private func flush() {
        isFlushScheduled = false
        guard let channel, outgoing.readableBytes > 0 else { return }
        let bytes = outgoing
        outgoing = ByteBuffer()
        channel.writeAndFlush(bytes, promise: nil)
    }

    // MARK: Socket

    private func dial() {
        let bound = NIOLoopBound(Weak(self), eventLoop: eventLoop)
        let context = endpoint.tls?.context(on: eventLoop) ?? eventLoop.makeSucceededFuture(nil)
        let located = endpoint.locator.locate(on: eventLoop, timers: timers)
        let (connectTimeout, eventLoop) = (TimeAmount.nanoseconds(endpoint.timing.opening.clampedNanoseconds), eventLoop)
        located.and(context).flatMap { host, context in
            let bootstrap = ClientBootstrap(group: eventLoop)
                .connectTimeout(connectTimeout)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        pipeline.closeOnExec()
                        pipeline.watchPeer(.standard)
                        if let context {
                            let name = (try? SocketAddress(ipAddress: host.name, port: 0)) == nil ? host.name : nil
                            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
                        }
                        try pipeline.addHandler(RedisChannelHandler(bound.value, checking: context == nil ? nil : host.name))
                    }
                }
            if let address = try? SocketAddress(ipAddress: host.name, port: host.port) { return bootstrap.connect(to: address) }
            return bootstrap.resolver(SystemResolver(eventLoop: eventLoop)).connect(host: host.name, port: host.port)
        }.whenFailure { error in
            bound.value.object?.ended(error as? RedisLoss ?? .network(.dialling(error)))
        }
    }

    /// Stores the channel. Returns false if the connection has been closed and the channel is not needed.
    func adopt(_ channel: any Channel) -> Bool {
        if conversation.phase == .closed { return false }
        self.channel = channel
        return true
    }

    func opened() {
        run { $0.opened(at: $1, into: &$2) }
    }

    func received(_ bytes: ByteBuffer) {
        decoder.receive(bytes)
        // All values of one read get the same time of arrival, so the clock is read only once.
        let now = timers.now
        conversation.heard(at: now)
        while conversation.phase != .closed {
            do throws(RedisViolation) {
                guard let value = try decoder.next() else { break }
                conversation.received(value, at: now, into: &effects)
                perform()
            } catch {
                return ended(.violation(error))
            }
        }
        arm()
    }

    func ended(_ loss: RedisLoss) {
        run { $0.end(loss, into: &$2) }
    }
}

/// Holds a weak reference to an object, so that closures of sockets and timers do not keep the object in memory.
struct Weak<Object: AnyObject> {
    weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}
