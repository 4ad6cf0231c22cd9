import ServiceLifecycle

/// Notifies the service manager that the server is alive: twice in each interval of its watchdog, and only after every event loop has
/// answered. A server whose event loop is blocked is therefore restarted. Rule PI-25.
struct ServeWatchdog: Service {
    let supervisor: ServiceSupervisor
    /// Waits between two notices, for half of the watchdog's interval.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Returns when every event loop has run a task that this call has enqueued.
    let eventLoopsAnswer: @Sendable () async throws -> Void

    func run() async throws {
        guard let interval = supervisor.watchdogInterval else {
            try? await gracefulShutdown()
            return
        }
        // The watchdog runs until it is cancelled, so the error of the cancellation is ignored.
        try? await cancelWhenGracefulShutdown { try await watch(every: interval / 2) }
    }

    private func watch(every interval: Duration) async throws {
        while true {
            try await pause(interval)
            try await eventLoopsAnswer()
            supervisor.notify(.alive)
        }
    }
}
