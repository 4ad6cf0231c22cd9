#if canImport(UIKit)
    import Dispatch
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// Asks the system to keep the process running in the background. Has no effect on systems that do not suspend processes.
public enum SystemActivity {
    /// Requests a limited time in the background of iOS, tvOS and visionOS.
    ///
    /// - Parameters:
    ///   - duration: the requested time; the system may grant less.
    ///   - reason: for the system's logs.
    ///   - expired: called when the system ends the time early, or grants none.
    public static func run(for duration: Duration, reason: String, expired: @escaping @Sendable () -> Void) {
        #if canImport(UIKit)
            let done = DispatchSemaphore(value: 0)
            let seconds = Double(duration.components.seconds) + 1
            // The system calls the block on a separate queue, and keeps the process running until the block returns.
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

    /// Requests time in the background of iOS, tvOS and visionOS until some work is done.
    ///
    /// - Parameters:
    ///   - reason: for the system's logs.
    ///   - begin: called at once, and begins the work. Its argument is a closure that has to be called, on any thread, when the work is
    ///     done. `begin` is not called on systems that do not suspend processes.
    public static func run(reason: String, until begin: (@escaping @Sendable () -> Void) -> Void) {
        #if canImport(UIKit)
            let done = DispatchSemaphore(value: 0)
            begin { done.signal() }
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
                if isExpired { done.signal() } else { done.wait() }
            }
        #endif
    }

    /// Prevents App Nap of macOS. App Nap delays the timers of applications without visible windows. This function does not prevent the
    /// sleep of the computer.
    ///
    /// - Parameter reason: for the system's logs.
    /// - Returns: a closure that allows App Nap again; call it once, from any thread.
    public static func preventAppNap(reason: String) -> @Sendable () -> Void {
        #if canImport(AppKit) && !canImport(UIKit)
            // `activity` needs no lock: the only later access passes it back to the system, which is allowed on any thread.
            nonisolated(unsafe) let activity = ProcessInfo.processInfo.beginActivity(
                options: .userInitiatedAllowingIdleSystemSleep, reason: reason)
            return { ProcessInfo.processInfo.endActivity(activity) }
        #else
            return {}
        #endif
    }
}
