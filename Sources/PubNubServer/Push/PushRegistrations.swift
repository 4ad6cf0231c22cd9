import Identifiers

/// The devices of a keyset that receive push notifications, each with its channels (rules PU-1 to PU-5). A pure value.
struct PushRegistrations: Sendable {
    /// The limits of a keyset's registrations.
    struct Limits: Hashable, Sendable {
        var devices = 100_000
        var channelsPerDevice = 1000
        /// The largest total length of tokens, topics and channel names in bytes. A text that occurs in several registrations counts once
        /// for each of them.
        var bytes = 64 << 20
    }

    /// Why channels could not be added to a device. After a refusal nothing has changed.
    enum Refusal: Error, Hashable, Sendable {
        case tooManyDevices
        case tooManyChannels
        case full
    }

    /// A change that is decided but not yet in effect.
    struct Change: Hashable, Sendable {
        let device: PushDevice
        /// All channels of the device after the change; empty to remove the device.
        let channels: Set<Identifier>
    }

    let limits: Limits
    private var channels: [PushDevice: Set<Identifier>] = [:]
    /// The device tokens by channel and by push service.
    private var devices: [Identifier: [PushDevice.Service: Set<Identifier>]] = [:]
    private(set) var bytes = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Restores the stored registrations, even if they exceed the current limits.
    init(restoring restored: some Sequence<(device: PushDevice, channels: [Identifier])>, limits: Limits = Limits()) {
        self.limits = limits
        for (device, names) in restored { put(channels[device, default: []].union(names), for: device) }
    }

    var deviceCount: Int { channels.count }

    /// At most `count` channels of a device after `start`, in the order of their bytes.
    func channels(of device: PushDevice, after start: Identifier? = nil, count: Int = .max) -> [Identifier] {
        let names = channels[device] ?? []
        let later = start.map { start in names.filter { start < $0 } } ?? names
        return Array(later.sorted().prefix(count))
    }

    /// The tokens of the devices that are notified of messages on a channel, by push service.
    func devices(on channel: Identifier) -> [PushDevice.Service: Set<Identifier>] { devices[channel] ?? [:] }

    /// Decides a change that first adds channels to a device and then removes channels from it.
    ///
    /// - Returns: the change; nil when the device would have the same channels as before.
    func change(
        _ device: PushDevice, adding added: [Identifier], removing removed: [Identifier]
    ) throws(Refusal) -> Change? {
        let old = channels[device] ?? []
        let new = old.union(added).subtracting(removed)
        guard new != old else { return nil }
        if new.count > old.count {
            guard new.count <= limits.channelsPerDevice else { throw .tooManyChannels }
            guard !old.isEmpty || channels.count < limits.devices else { throw .tooManyDevices }
        }
        let grown = Self.size(device, new) - Self.size(device, old)
        guard grown <= 0 || bytes + grown <= limits.bytes else { throw .full }
        return Change(device: device, channels: new)
    }

    /// Decides the removal of a device; nil when the device is not registered.
    func removal(of device: PushDevice) -> Change? {
        channels[device] == nil ? nil : Change(device: device, channels: [])
    }

    /// How much a decided change adds to the stored registrations; negative when the change removes registrations.
    func growth(by change: Change) -> OwnerShares.Size {
        let old = channels[change.device] ?? []
        return OwnerShares.Size(
            count: (change.channels.isEmpty ? 0 : 1) - (old.isEmpty ? 0 : 1),
            bytes: Self.size(change.device, change.channels) - Self.size(change.device, old))
    }

    /// Makes a decided change take effect. Call it after the change is stored.
    mutating func apply(_ change: Change) { put(change.channels, for: change.device) }

    /// Replaces the channels of a device; an empty set removes the device.
    private mutating func put(_ new: Set<Identifier>, for device: PushDevice) {
        let old = channels[device] ?? []
        for name in old.subtracting(new) {
            devices[name]?[device.service]?.remove(device.token)
            if devices[name]?[device.service]?.isEmpty == true { devices[name]?[device.service] = nil }
            if devices[name]?.isEmpty == true { devices[name] = nil }
        }
        for name in new.subtracting(old) { devices[name, default: [:]][device.service, default: []].insert(device.token) }
        channels[device] = new.isEmpty ? nil : new
        bytes += Self.size(device, new) - Self.size(device, old)
    }

    private static func size(_ device: PushDevice, _ channels: Set<Identifier>) -> Int {
        guard !channels.isEmpty else { return 0 }
        var own = device.token.utf8.count
        if case .apns2(_, let topic) = device.service { own += topic.utf8.count }
        return channels.reduce(own) { $0 + $1.utf8.count + own }
    }
}
