import ConnectionEngine
import NIOConcurrencyHelpers

#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// Reports when the application goes to the background and when it comes back.
///
/// It uses the system's notifications on iOS, tvOS and visionOS, and the sleep of the computer on macOS; extensions and other systems
/// have no such notifications, and applications call functions of the client instead. One monitor serves the whole process.
public final class ApplicationMonitor: Sendable {
    /// The monitor of this process.
    public static let shared = ApplicationMonitor { report in
        #if canImport(UIKit)
            guard !Bundle.main.bundlePath.hasSuffix(".appex") else { return }
            notify(.default, UIApplication.didEnterBackgroundNotification) { report(.background) }
            notify(.default, UIApplication.willEnterForegroundNotification) { report(.foreground) }
        #elseif canImport(AppKit)
            guard !Bundle.main.bundlePath.hasSuffix(".appex") else { return }
            let center = NSWorkspace.shared.notificationCenter
            notify(center, NSWorkspace.willSleepNotification) { report(.background) }
            notify(center, NSWorkspace.didWakeNotification) { report(.foreground) }
        #endif
    }

    /// Whether an application is in the foreground or in the background.
    public enum Place: Hashable, Sendable {
        /// The user sees the application, or no state has been reported.
        case foreground
        /// The system may suspend the process at any time.
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

    /// A separate monitor, for tests.
    ///
    /// - Parameter watch: called with the first observer, once. It calls its argument with every change, on one thread at a time.
    public init(watch: @escaping @Sendable (@escaping @Sendable (Place) -> Void) -> Void) {
        self.watch = watch
    }

    /// Observes for as long as the observation is held. The monitor itself watches from its first observer on.
    ///
    /// - Parameter report: called with every change from now on, on the thread of the notification, and at once when the application
    ///   is in the background already. Must not block.
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
            _ center: NotificationCenter, _ name: Notification.Name, _ body: @escaping @Sendable () -> Void
        ) {
            _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in body() }
        }
    #endif
}

extension ConnectionDriver {
    /// Passes the application's state on to the machine (rules BG-1, BG-3 and BG-9).
    public func moved(to place: ApplicationMonitor.Place) {
        switch place {
        case .foreground: submit(.leaveBackground)
        case .background:
            submit(.enterBackground)
            #if os(macOS)
                // On macOS the background is the sleep of the computer, which leaves no grace period.
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
