import NIOCore
import RealtimeHub

extension ServerCore {
    /// Looks through the connections of every loop now and then: one task for each loop, not one for each connection.
    func startSweeping() -> [RepeatedTask] {
        let interval = TimeAmount(configuration.sweepInterval)
        return outlets.enumerated().map { index, outlet in
            outlet.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] task in
                guard let self else { return task.cancel() }
                if index == 0 {
                    self.sweepChannels()
                    self.sweepUsers()
                    self.pubnub.sweep()
                    self.nexconn.sweep()
                    self.webhooks.sweep()
                }
                self.sweepConnections(of: outlet)
            }
        }
    }

    private func sweepConnections(of outlet: LoopOutlet) {
        let state = outlet.state
        let now = now
        // Copies, since a connection that ends leaves the list.
        for connection in state.connections { connection.sweep(at: now) }
        for requester in state.requesters { requester.sweep(at: now) }
        for connection in state.chat.connections { connection.sweep(at: now) }
        for polls in state.polls.values { polls.sweep(at: now) }
        outlet.sweepHeld(at: now)
        outlet.publishCounters()
    }

    /// Waits until all sockets are closed, and cuts them when `timeout` is over.
    func finishSockets(within timeout: Duration) async throws {
        // Not the injected clock: a test that stands still must not keep a server from stopping.
        let deadline = NIODeadline.now() + TimeAmount(timeout)
        for outlet in outlets {
            outlet.eventLoop.execute {
                outlet.state.isDraining = true
                for requester in outlet.state.requesters { requester.drain() }
            }
        }
        while admission.withLockedValue(\.sockets) > 0, NIODeadline.now() < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        for outlet in outlets {
            try await outlet.eventLoop.submit {
                for connection in outlet.state.connections { connection.hangUp() }
                for connection in outlet.state.chat.connections { connection.cut() }
                for requester in outlet.state.requesters { requester.cut() }
            }.get()
        }
    }
}
