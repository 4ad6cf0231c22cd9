import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NexconnProtocol
import PubNubProtocol
import PusherProtocol
import TransportCommon

extension Service {
    /// The same service with a double in its place: clients of it open no sockets, and their time is the double's.
    package func on(_ double: any ServiceDouble) -> Service {
        var service = self
        service.double = double
        return service
    }
}

/// Starts side work of a client in separate tasks.
struct TaskStarter: Sendable {
    let start: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>

    /// Plain tasks.
    static let plain = TaskStarter { work in Task { await work() } }

    /// Tasks that a double knows of.
    static func on(_ double: any ServiceDouble) -> TaskStarter { TaskStarter { double.start($0) } }
}

// An adapter of each service whose parts are a double's.

extension PusherAdapter {
    static func doubled(_ settings: PusherSettings, _ options: ClientOptions, _ double: any ServiceDouble) -> PusherAdapter {
        let adapter = make(
            settings, options, dial: { double.webSocket { PusherFrameDecoder() } as any ClientTransport<PusherSession> },
            http: DoubleHTTP(double: double), timers: double.timers, seed: double.nextSeed(),
            unixSeconds: { double.unixSeconds }, tasks: .on(double), track: { double.track($0) },
            observeNetwork: { _, driver in double.observe { [weak driver] in driver?.networkChanged(to: $0) } })
        double.track(adapter.driver)
        return adapter
    }
}

extension PubNubAdapter {
    static func doubled(
        _ settings: PubNubServiceSettings, _ options: ClientOptions, _ double: any ServiceDouble
    ) -> PubNubAdapter {
        let adapter = make(
            settings, options, transport: double.longPoll { PubNubAnswerDecoder() } as any ClientTransport<PubNubSession>,
            http: DoubleHTTP(double: double), timers: double.timers, seed: double.nextSeed(),
            unixSeconds: { double.unixSeconds }, tasks: .on(double)
        ) { _, driver in
            double.observe { [weak driver] in driver?.networkChanged(to: $0) }
        }
        double.track(adapter.driver)
        return adapter
    }
}

extension NexconnAdapter {
    static func doubled(_ settings: NexconnSettings, _ options: ClientOptions, _ double: any ServiceDouble) -> NexconnAdapter {
        let adapter = make(
            settings, options, transport: double.webSocket { NexconnFrameDecoder() } as any ClientTransport<NexconnSession>,
            http: DoubleHTTP(double: double), timers: double.timers, seed: double.nextSeed(),
            unixSeconds: { double.unixSeconds }, tasks: .on(double)
        ) { _, change in
            double.observe(change)
        }
        double.track(adapter.driver)
        return adapter
    }
}

extension ServiceDouble {
    fileprivate func observe(_ report: @escaping @Sendable (NetworkStatus) -> Void) -> NetworkObservation {
        NetworkObservation(observeNetwork(report))
    }
}

/// Requests that a double answers.
private struct DoubleHTTP: HTTPSending {
    let double: any ServiceDouble

    func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPAnswer {
        let request = DoubleRequest(
            method: call.method, url: call.url, headers: call.headers.map { ($0.name, $0.value) }, body: call.body,
            timeout: timeout)
        let answer = try await double.answer(to: request).get()
        return HTTPAnswer(
            status: answer.status, headers: answer.headers.map { HTTPField($0.name, $0.value) }, body: answer.body, url: call.url)
    }
}
