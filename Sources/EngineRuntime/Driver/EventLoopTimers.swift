import ConnectionEngine
import NIOCore

/// Timers that run on a NIO event loop and use the system's monotonic clock.
public struct EventLoopTimers: TimerScheduler {
    private let eventLoop: any EventLoop

    public init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    public var now: Moment {
        Moment(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
    }

    public func schedule(after duration: Duration, _ fire: @escaping @Sendable () -> Void) -> TimerCancellation {
        let scheduled = eventLoop.scheduleTask(in: .nanoseconds(max(duration.clampedNanoseconds, 0)), fire)
        return { scheduled.cancel() }
    }
}
