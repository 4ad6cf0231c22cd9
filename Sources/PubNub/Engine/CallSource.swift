import BodyCompression
import ConnectionEngine
import Foundation
import HTTPTransport
import NIOConcurrencyHelpers
import PubNubProtocol
import TransportCommon

/// The values from which a client's requests are made. A task that makes several requests holds this value instead of the client, because a
/// reference to the client would keep the client alive (rule PK-78).
struct CallSource: Sendable {
    let setup: NIOLockedValueBox<ClientSetup>
    let calls: CallRunner
    let instanceID: String

    var configuration: ConfigurationValues { setup.withLockedValue { $0.values } }

    /// Makes the HTTP request of a call, with its address.
    func assemble<Call: PubNubCall>(
        _ call: Call, values: ConfigurationValues, extra: [PubNubRequest.Parameter], compresses: Bool
    ) throws(PubNubProblem) -> CallRequest {
        let settings = values.settings(instanceID: instanceID)
        var request = try call.request(settings)
        request.parameters.removeAll { parameter in extra.contains { $0.name == parameter.name } }
        request.parameters += extra
        let timestamp = values.secretKey == nil ? nil : Int(clamping: WallClock.unixTime)
        let target = request.target(settings, requestID: UUID().uuidString, timestamp: timestamp)
        var headers: [HTTPExchange.Header] = []
        if !request.body.isEmpty { headers.append(HTTPExchange.Header("Content-Type", "application/json; charset=UTF-8")) }
        // If the compression fails, the body is sent uncompressed.
        if compresses, !request.body.isEmpty, let gzip = try? BodyCompression.gzip(request.body) {
            request.body = gzip
            headers.append(HTTPExchange.Header("Content-Encoding", "gzip"))
        }
        return CallRequest(
            endpoint: settings.endpoint, method: request.method, target: target, headers: headers, body: request.body,
            timeout: values.requestTimeout)
    }

    /// Makes a call.
    func ask<Call: PubNubCall>(
        _ call: Call, _ query: [PubNubRequest.Parameter] = []
    ) async throws(PubNubProblem) -> Call.Answer {
        let request = try assemble(call, values: configuration, extra: query, compresses: false)
        return try await exchange(request).read(by: call)
    }

    /// Sends a request and waits for its answer. Cancelling the task cancels the request.
    func exchange(_ request: CallRequest) async throws(PubNubProblem) -> HTTPCallAnswer {
        let ticket = CallTicket(runner: calls)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ticket.send(request) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            ticket.cancel()
        }
        switch result {
        case .success(let answer): return answer
        case .failure(let failure): throw PubNubProblem(failure)
        }
    }
}

extension PubNub {
    /// The values from which this client's requests are made.
    var source: CallSource { CallSource(setup: setup, calls: calls, instanceID: instanceID) }
}
