import Identifiers
import PubNubProtocol
import ServerRuntime

/// Requests about devices for push notifications (rules PU-1 to PU-12).
extension PubNubREST {
    private static let defaultCount = 500
    private static let maximumCount = 1000

    /// - Parameter isRemoval: true to remove the device, false to list or change its channels.
    func push(
        _ request: PubNubServerRequest, _ interface: PushInterface, token: String, isRemoval: Bool
    ) async throws(PubNubErrorBody) -> HTTPAnswer {
        let device: PushDevice
        do throws(PushProblem) {
            let isRegistered = !isRemoval && request.parameter("add") != nil
            device = try PushDevice(interface, token: token, request: request, isRegistered: isRegistered)
        } catch {
            return Self.refusal(error.rawValue)
        }
        return isRemoval ? try await remove(device, request) : try await channels(of: device, request)
    }

    /// Lists the channels of a device. If the query has the parameters `add` or `remove`, adds or removes channels instead.
    private func channels(
        of device: PushDevice, _ request: PubNubServerRequest
    ) async throws(PubNubErrorBody) -> HTTPAnswer {
        let (added, removed) = (request.list("add"), request.list("remove"))
        guard request.parameter("add") != nil || request.parameter("remove") != nil else { return list(request, device) }
        guard (added + removed).allSatisfy({ PubNubDraft.isValid(channel: $0) }) else {
            return Self.refusal(PubNubErrorBody.invalidChannelName)
        }
        do {
            try await application.push.change(
                device, adding: added.identifiers, removing: removed.identifiers, by: pushOwner(request))
        } catch {
            return try Self.refusal(error, application.push.limits)
        }
        return .pubnub(Array(#"[1, "Modified Channels"]"#.utf8))
    }

    private func pushOwner(_ request: PubNubServerRequest) -> PushOwner {
        guard let owner = owner(of: request) else { return PushOwner() }
        let limits = application.push.limits
        let share = OwnerShares.Size(count: limits.devices, bytes: limits.bytes).divided()
        return PushOwner(name: owner) { [application] in application.add($0, to: .pushDevices, by: owner, share: share) }
    }

    private func remove(_ device: PushDevice, _ request: PubNubServerRequest) async throws(PubNubErrorBody) -> HTTPAnswer {
        do {
            try await application.push.remove(device, by: pushOwner(request))
        } catch {
            throw .serviceUnavailable
        }
        return .pubnub(Array(#"[1, "Removed Device"]"#.utf8))
    }

    private func list(_ request: PubNubServerRequest, _ device: PushDevice) -> HTTPAnswer {
        let asked = request.parameter("count").flatMap { Int($0) } ?? Self.defaultCount
        let start = request.parameter("start").flatMap { $0.isEmpty ? nil : Identifier($0) }
        var body = JSONBody(isSpaced: true)
        body.strings(
            application.push.channels(
                of: device, after: start, count: asked > 0 ? min(asked, Self.maximumCount) : Self.defaultCount
            ).texts)
        return .pubnub(body.bytes)
    }

    /// An error answer `{"error": "…"}`, the recorded format of PubNub's service.
    private static func refusal(_ text: String) -> HTTPAnswer {
        .pubnub(status: 400, JSONBody.object(isSpaced: true) { $0.member("error", text) })
    }

    private static func refusal(
        _ error: any Error, _ limits: PushRegistrations.Limits
    ) throws(PubNubErrorBody) -> HTTPAnswer {
        if error is ShareUsed {
            return .pubnub(status: 429, JSONBody.object(isSpaced: true) { $0.member("error", ShareUsed.message) })
        }
        switch error as? PushRegistrations.Refusal {
        case .tooManyChannels: return refusal("A device can be registered for at most \(limits.channelsPerDevice) channels.")
        case .tooManyDevices: return refusal("The keyset already has \(limits.devices) devices, the maximum. Remove some first.")
        case .full: return refusal("The keyset's device registrations exceed \(limits.bytes) bytes. Remove some first.")
        case nil: throw .serviceUnavailable
        }
    }
}

/// The API version of a request about a device.
enum PushInterface: Hashable, Sendable {
    /// Version 1, `/v1/push/…/devices/`: the parameter `type` names the push service.
    case first
    /// `/v2/push/…/devices-apns2/`
    case apple
}

extension PushDevice {
    fileprivate init(
        _ interface: PushInterface, token: String, request: PubNubServerRequest, isRegistered: Bool
    ) throws(PushProblem) {
        switch interface {
        case .first: try self.init(type: request.parameter("type"), token: token, isRegistered: isRegistered)
        case .apple:
            try self.init(
                environment: request.parameter("environment"), topic: request.parameter("topic"), token: token,
                isRegistered: isRegistered)
        }
    }
}
