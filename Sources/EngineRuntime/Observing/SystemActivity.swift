#if canImport(UIKit)
    import Dispatch
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// Asks the system to let the process run although nobody sees it. Does nothing where processes run anyway.
public enum SystemActivity {
    /// Asks for a while in the background of iOS, tvOS and visionOS.
    ///
    /// - Parameters:
    ///   - duration: how long at most; the system decides how much of it there is.
    ///   - reason: for the system's logs.
    ///   - expired: called when the system wants the process to be quiet before that, or gives it no time at all.
    public static func run(for duration: Duration, reason: String, expired: @escaping @Sendable () -> Void) {
        #if canImport(UIKit)
            let done = DispatchSemaphore(value: 0)
            let seconds = Double(duration.components.seconds) + 1
            // The system calls the block on a queue of its own, and lets the process run until it returns.
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
                if isExpired {
                    expired()
                    done.signal()
                } else {
                    _ = done.wait(timeout: .now() + seconds)
                }
            }
        #endif
    }

    /// Asks for time in the background of iOS, tvOS and visionOS until something is done.
    ///
    /// - Parameters:
    ///   - reason: for the system's logs.
    ///   - begin: called at once with what has to be called when it is done, on any thread; not called where processes run anyway.
    public static func run(reason: String, until begin: (@escaping @Sendable () -> Void) -> Void) {
        #if canImport(UIKit)
            let done = DispatchSemaphore(value: 0)
            begin { done.signal() }
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
                if isExpired { done.signal() } else { done.wait() }
            }
        #endif
    }

    /// Keeps App Nap of macOS away, which delays the timers of applications without visible windows. The computer may sleep all the
    /// same.
    ///
    /// - Parameter reason: for the system's logs.
    /// - Returns: lets App Nap come again; to be called once, from any thread.
    public static func preventAppNap(reason: String) -> @Sendable () -> Void {
        #if canImport(AppKit) && !canImport(UIKit)
            // Without a lock: the object is never looked into, only handed back to the system once, which may be done on any thread.
            nonisolated(unsafe) let activity = ProcessInfo.processInfo.beginActivity(
                options: .userInitiatedAllowingIdleSystemSleep, reason: reason)
            return { ProcessInfo.processInfo.endActivity(activity) }
        #else
            return {}
        #endif
    }
}
