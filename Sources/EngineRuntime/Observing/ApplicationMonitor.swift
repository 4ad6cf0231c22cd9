import ConnectionEngine
import NIOConcurrencyHelpers

#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// Reports when the application goes to the background and when it returns to the foreground.
///
/// The monitor uses the system's notifications on iOS, tvOS and visionOS, and those of the computer's sleep on macOS. Extensions and other
/// systems have no such notifications; applications call functions of the client there. One monitor serves the whole process.
public final class ApplicationMonitor: Sendable {
    /// The monitor of this process.
    public static let shared = ApplicationMonitor { report in
        #if canImport(UIKit)
            guard !Bundle.main.bundlePath.hasSuffix(".appex") else { return }
            notify(.default, of: UIApplication.didEnterBackgroundNotification) { report(.background) }
            notify(.default, of: UIApplication.willEnterForegroundNotification) { report(.foreground) }
        #elseif canImport(AppKit)
            guard !Bundle.main.bundlePath.hasSuffix(".appex") else { return }
            let center = NSWorkspace.shared.notificationCenter
            notify(center, of: NSWorkspace.willSleepNotification) { report(.background) }
            notify(center, of: NSWorkspace.didWakeNotification) { report(.foreground) }
        #endif
    }

    /// Whether an application is in the foreground or in the background.
    public enum Place: Hashable, Sendable {
        /// The user sees the application. Also the value until the system has reported a state.
        case foreground
        /// The application is not visible, and the system may suspend the process at any time.
        case background
    }

    private struct State {
        var observers: [UInt64: @Sendable (Place) -> Void] = [:]
        var lastObserver: UInt64 = 0
        var isWatching = false
        var place = Place.foreground
    }

    private let watch: @Sendable (@escaping @Sendable (Place) -> Void) -> Void
    private let state = NIOLockedValueBox(State())

    /// Creates a separate monitor, for tests.
    ///
    /// - Parameter watch: called once, when the first observer is added. It has to call its argument with every change, on one thread at a
    ///   time.
    public init(watch: @escaping @Sendable (@escaping @Sendable (Place) -> Void) -> Void) {
        self.watch = watch
    }

    /// Calls `report` with every change until the returned observation is released. The first call starts the monitor.
    ///
    /// - Parameter report: called on the thread of the system's notification, and at once if the application is already in the background.
    ///   Must not block.
    /// - Returns: the observation, which ends when it is released.
    public func observe(_ report: @escaping @Sendable (Place) -> Void) -> Observation {
        let (id, isFirst, place) = state.withLockedValue { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = report
            defer { state.isWatching = true }
            return (state.lastObserver, !state.isWatching, state.place)
        }
        if isFirst { watch { [weak self] in self?.moved($0) } }
        if place == .background { report(.background) }
        return Observation { [weak self] in
            self?.state.withLockedValue { state in state.observers[id] = nil }
        }
    }

    private func moved(_ place: Place) {
        let observers = state.withLockedValue { state in
            state.place = place
            return state.observers.sorted { $0.key < $1.key }.map(\.value)
        }
        for observer in observers { observer(place) }
    }

    #if canImport(UIKit) || canImport(AppKit)
        private static func notify(
            _ center: NotificationCenter, of name: Notification.Name, _ body: @escaping @Sendable () -> Void
        ) {
            _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in body() }
        }
    #endif
}

extension ConnectionDriver {
    /// Passes the application's change between foreground and background to the machine (rules BG-1, BG-3 and BG-9).
    public func moved(to place: ApplicationMonitor.Place) {
        switch place {
        case .foreground: submit(.leaveBackground)
        case .background:
            submit(.enterBackground)
            #if os(macOS)
                // On macOS the background is the sleep of the computer, which begins at once, so there is no grace period.
                submit(.endBackgroundGrace)
            #else
                if let end = graceEnd {
                    SystemActivity.run(for: end.duration(since: now), reason: "A connection is kept for a moment") {
                        [weak self] in
                        self?.submit(.endBackgroundGrace)
                    }
                }
            #endif
        }
    }
}
