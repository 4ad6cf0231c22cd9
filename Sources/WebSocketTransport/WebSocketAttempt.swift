import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import NIOCore

/// One attempt to connect, and the WebSocket connection that it opens. The connection is used on one event loop; other threads enqueue
/// frames for it here.
///
/// All mutable state is in one locked value. No closure is called while the lock is held.
final class WebSocketAttempt<Decoder: WebSocketDecoder>: Sendable {
    typealias Report = @Sendable (TransportEvent<Decoder.Inbound>) -> Void

    private struct State {
        /// The closure that receives events; nil once `closed` has been reported or the attempt was aborted.
        var report: Report?
        /// The channels that are open or being opened. There are several while addresses are tried in parallel.
        var channels: [any Channel] = []
        /// The frame handler; nil until the connection is open.
        var frames: NIOLoopBound<FrameHandler<Decoder>>?
        /// Frames that wait to be written on the event loop.
        var outbound = CoalescingQueue<[WebSocketOutbound]>()
        var saidGoodbye = false
        /// Whether the attempt was cancelled: no channel may be opened any more, and open ones must be closed.
        var isAborted = false
        var dialTimer: Scheduled<Void>?
        var isOver = false
        var whenOver: (@Sendable () -> Void)?
    }

    let eventLoop: any EventLoop
    private let state: NIOLockedValueBox<State>

    init(eventLoop: any EventLoop, report: @escaping Report) {
        self.eventLoop = eventLoop
        state = NIOLockedValueBox(State(report: report))
    }

    // MARK: Calls from any thread

    /// Queues a frame. The first of several frames schedules a task on the event loop, which writes all of them at once.
    func send(_ outbound: WebSocketOutbound) {
        let frames = state.withLockedValue { state -> NIOLoopBound<FrameHandler<Decoder>>? in
            guard let frames = state.frames, !state.saidGoodbye else { return nil }
            return state.outbound.append(outbound) ? frames : nil
        }
        guard let frames else { return }
        eventLoop.execute { frames.value.drain() }
    }

    /// Closes all channels of the attempt at once, and reports nothing more. If the end of the attempt has already been reported, its
    /// channel stays open until the close handshake is complete or the close timeout has passed.
    func abort() {
        if !isFinished { cut() }
    }

    /// Closes all channels of the attempt at once, even during the close handshake, and reports nothing more.
    func cut() {
        let (channels, timer) = state.withLockedValue { state -> ([any Channel], Scheduled<Void>?) in
            state.report = nil
            state.isAborted = true
            state.frames = nil
            state.outbound.waiting = []
            defer { (state.channels, state.dialTimer) = ([], nil) }
            return (state.channels, state.dialTimer)
        }
        timer?.cancel()
        for channel in channels { channel.close(promise: nil) }
    }

    /// Begins the close handshake if the connection is established; otherwise cancels the attempt and reports `closed` at once.
    func sayGoodbye() {
        let frames = state.withLockedValue { state in
            state.saidGoodbye = true
            return state.frames
        }
        if isFinished { return }
        if let frames {
            eventLoop.execute { frames.value.sayGoodbye() }
        } else {
            finish(.disconnectedOnRequest)
            cut()
        }
    }

    /// Calls `body` when the attempt's socket is closed; at once if it is closed already.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLockedValue { state in
            if !state.isOver { state.whenOver = body }
            return state.isOver
        }
        if isOver { body() }
    }

    // MARK: Calls on the event loop

    /// Stores a channel, so that it can be closed. Returns false when it must be closed at once.
    func adopt(_ channel: any Channel) -> Bool {
        state.withLockedValue { state in
            if state.isAborted { return false }
            state.channels.append(channel)
            return true
        }
    }

    /// Stores the timer of the attempt. The timer is cancelled when the connection is open or the attempt has failed.
    func keep(_ timer: Scheduled<Void>) {
        let isOver = state.withLockedValue { state in
            if state.report == nil { return true }
            state.dialTimer = timer
            return false
        }
        if isOver { timer.cancel() }
    }

    /// Records that the upgrade is complete, so frames can be sent from now on. Reports `opened`.
    func opened(_ frames: FrameHandler<Decoder>, on channel: any Channel) {
        let bound = NIOLoopBound(frames, eventLoop: eventLoop)
        let (report, timer) = state.withLockedValue { state -> (Report?, Scheduled<Void>?) in
            guard !state.isAborted, state.report != nil else { return (nil, nil) }
            state.channels = [channel]
            state.frames = bound
            defer { state.dialTimer = nil }
            return (state.report, state.dialTimer)
        }
        timer?.cancel()
        report?(.opened)
    }

    /// Reports an event. The end is reported by ``finish(_:)``.
    func report(_ event: TransportEvent<Decoder.Inbound>) {
        state.withLockedValue { $0.report }?(event)
    }

    /// Reports `closed`, once. After that, no frames are sent and nothing is reported.
    func finish(_ failure: ConnectionFailure) {
        let (report, timer) = state.withLockedValue { state -> (Report?, Scheduled<Void>?) in
            defer { (state.report, state.frames, state.outbound.waiting, state.dialTimer) = (nil, nil, [], nil) }
            return (state.report, state.dialTimer)
        }
        timer?.cancel()
        report?(.closed(failure))
    }

    /// Whether the end of the attempt was reported, or the attempt was aborted and reports nothing.
    var isFinished: Bool { state.withLockedValue { $0.report == nil } }

    /// Removes and returns the frames that wait to be written, in order.
    func takeOutbound() -> [WebSocketOutbound] {
        state.withLockedValue { $0.outbound.takeAllAndRest() }
    }

    /// Records that the attempt's socket is closed, or was never opened.
    func over() {
        let body = state.withLockedValue { state in
            defer { (state.isOver, state.whenOver, state.channels) = (true, nil, []) }
            return state.whenOver
        }
        body?()
    }
}
