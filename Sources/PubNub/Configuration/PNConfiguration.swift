import ClientRuntime
import EngineRuntime
import Foundation
import Logging
import NIOConcurrencyHelpers
import TransportCommon

/// The settings of a client. The defaults are the same as in the Cocoa SDK 4.17 (rules PK-10 to PK-16).
///
/// A client copies its configuration: later changes have no effect on the client. May be used from any thread.
public final class PNConfiguration: Sendable {
    private let box: NIOLockedValueBox<ConfigurationValues>

    /// A configuration with default settings. The user id and the device id are the stored ids, see ``uuid``.
    public convenience init(publishKey: String, subscribeKey: String) {
        self.init(publishKey: publishKey, subscribeKey: subscribeKey, identities: .shared)
    }

    convenience init(publishKey: String, subscribeKey: String, identities: IdentityStore) {
        self.init(
            ConfigurationValues(
                publishKey: publishKey, subscribeKey: subscribeKey, uuid: identities.userID(publishKey: publishKey),
                deviceID: identities.deviceID))
    }

    init(_ values: ConfigurationValues) {
        box = NIOLockedValueBox(values)
    }

    var values: ConfigurationValues { box.withLockedValue { $0 } }

    /// See `use(_:)`.
    func setDouble(_ double: any ServiceDouble) { write(\.double, DoubleReference(double: double)) }

    fileprivate func read<Value>(_ path: KeyPath<ConfigurationValues, Value>) -> Value {
        box.withLockedValue { $0[keyPath: path] }
    }

    fileprivate func write<Value>(_ path: WritableKeyPath<ConfigurationValues, Value>, _ value: Value) {
        box.withLockedValue { $0[keyPath: path] = value }
    }

    /// The id of this device, a UUID that is created once and stored.
    public var deviceID: String { read(\.deviceID) }

    /// The user's id. By default a stored id for each publish key: `pn-` and a random UUID, kept in the user's folder for application data.
    /// Setting an empty id has no effect.
    public var uuid: String {
        get { read(\.uuid) }
        set { if !newValue.isEmpty { write(\.uuid, newValue) } }
    }

    /// Seconds without a heartbeat after which the service counts the user as absent, 20 to 300. The default 0 leaves the time to the
    /// service. Setting this value also sets ``presenceHeartbeatInterval`` to half of this value minus one second.
    public var presenceHeartbeatValue: Int {
        get { read(\.presenceHeartbeatValue) }
        set {
            let value = min(max(newValue, 20), 300)
            box.withLockedValue { values in
                values.presenceHeartbeatValue = value
                values.presenceHeartbeatInterval = value / 2 - 1
            }
        }
    }

    /// The service's host, or its host and port: `ps.pndsn.com` by default, `127.0.0.1:6001` for your own server.
    ///
    /// The text may begin with a scheme, `https://` or `http://`. Without a scheme connections are encrypted, unless the host is this
    /// machine itself: `localhost`, an address of 127.0.0.0/8, or `::1`. A value of ``TLSEnabled`` that was set has precedence over the
    /// scheme (rule PK-66).
    public var origin: String {
        get { read(\.origin) }
        set { write(\.origin, newValue) }
    }

    /// The keyset's publish key. Every request that publishes a message contains this key.
    public var publishKey: String {
        get { read(\.publishKey) }
        set { write(\.publishKey, newValue) }
    }

    /// The keyset's subscribe key, which identifies the keyset in requests.
    public var subscribeKey: String {
        get { read(\.subscribeKey) }
        set { write(\.subscribeKey, newValue) }
    }

    /// The auth key or access token, which every request sends; nil for none. A secret.
    public var authKey: String? {
        get { read(\.authKey) }
        set { write(\.authKey, newValue) }
    }

    /// The key that encrypts and decrypts messages and files; nil for no encryption. A secret.
    public var cipherKey: String? {
        get { read(\.cipherKey) }
        set { write(\.cipherKey, newValue) }
    }

    /// Seconds after which the client gives up a poll without an answer; 310 by default. The limit has to be longer than the time for which
    /// the service holds a poll.
    public var subscribeMaximumIdleTime: TimeInterval {
        get { read(\.subscribeMaximumIdleTime) }
        set { write(\.subscribeMaximumIdleTime, newValue) }
    }

    /// The time limit in seconds of every request that is not a poll; 10 by default.
    public var nonSubscribeRequestTimeout: TimeInterval {
        get { read(\.nonSubscribeRequestTimeout) }
        set { write(\.nonSubscribeRequestTimeout, newValue) }
    }

    /// Seconds between two heartbeats of the client. The default 0 sends no heartbeats.
    public var presenceHeartbeatInterval: Int {
        get { read(\.presenceHeartbeatInterval) }
        set { write(\.presenceHeartbeatInterval, newValue) }
    }

    /// The outcomes of heartbeats that listeners get as statuses; by default only failures.
    public var heartbeatNotificationOptions: PNHeartbeatNotificationOptions {
        get { read(\.heartbeatNotificationOptions) }
        set { write(\.heartbeatNotificationOptions, newValue) }
    }

    /// Whether the client unsubscribes without notifying the service that the user left; false by default.
    public var suppressLeaveEvents: Bool {
        get { read(\.suppressLeaveEvents) }
        set { write(\.suppressLeaveEvents, newValue) }
    }

    /// Whether heartbeats cover only the channels and groups that were declared with `presence().connected(true)`; false by default.
    public var managePresenceListManually: Bool {
        get { read(\.managePresenceListManually) }
        set { write(\.managePresenceListManually, newValue) }
    }

    /// Whether connections are encrypted. A value that was set has precedence over ``origin``. Otherwise the value is true, unless
    /// ``origin`` begins with `http://`, or has no scheme and its host is this machine itself (rule PK-66).
    public var TLSEnabled: Bool {
        get { read(\.usesTLS) }
        set { write(\.chosenTLS, newValue) }
    }

    /// Whether the subscription continues from its timetoken when the list of channels changes; true by default.
    public var keepTimeTokenOnListChange: Bool {
        get { read(\.keepTimeTokenOnListChange) }
        set { write(\.keepTimeTokenOnListChange, newValue) }
    }

    /// Whether the client subscribes again after a failure of the network; true by default. When false, the list of channels is emptied as
    /// soon as the connection is lost.
    public var restoreSubscription: Bool {
        get { read(\.restoreSubscription) }
        set { write(\.restoreSubscription, newValue) }
    }

    /// Whether a restored subscription continues from the last timetoken, so that no message is missed; true by default.
    public var catchUpOnSubscriptionRestore: Bool {
        get { read(\.catchUpOnSubscriptionRestore) }
        set { write(\.catchUpOnSubscriptionRestore, newValue) }
    }

    /// The number of messages in one answer at which listeners get `PNRequestMessageCountExceededCategory`. The default 0 turns this off.
    public var requestMessageCountThreshold: UInt {
        get { read(\.requestMessageCountThreshold) }
        set { write(\.requestMessageCountThreshold, newValue) }
    }

    /// The number of recent messages that the client remembers in order to drop repeated messages; 100 by default, 0 to drop none.
    public var maximumMessagesCacheSize: UInt {
        get { read(\.maximumMessagesCacheSize) }
        set { write(\.maximumMessagesCacheSize, newValue) }
    }

    /// Whether calls that are in progress when the application goes to the background are completed; true by default.
    ///
    /// When true, these calls continue, and on iOS, tvOS and visionOS the client asks the system to let the process run until they are
    /// answered. When false, they end at once with `PNCancelledCategory`, although the service may have processed them. The subscription is
    /// closed in either case, see ``PubNub/applicationDidEnterBackground()``. The Cocoa SDK has this setting on iOS only.
    public var completeRequestsBeforeSuspension: Bool {
        get { read(\.completeRequestsBeforeSuspension) }
        set { write(\.completeRequestsBeforeSuspension, newValue) }
    }

    /// Whether the client closes the subscription's connection when the system reports that the application is in the background; true by
    /// default. Set it to false for an application that the system lets run in the background, such as one that plays audio. Then only
    /// ``PubNub/applicationDidEnterBackground()`` closes the connection. An addition to the Cocoa SDK (rule PK-72).
    public var suspendsInBackground: Bool {
        get { read(\.suspendsInBackground) }
        set { write(\.suspendsInBackground, newValue) }
    }

    /// Seconds for which the subscription's connection is kept after the application went to the background; 20 by default. After a return
    /// within this time the subscription continues without a presence event or a missed message. Zero closes the connection at once, nil
    /// never. If the system suspends the process sooner, the connection is closed before that. An addition to the Cocoa SDK (rule PK-72).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var backgroundGrace: TimeInterval? {
        get { read(\.backgroundGrace) }
        set { write(\.backgroundGrace, newValue) }
    }

    /// How soon the client detects a dead connection. The default `balanced` detects it within 25 s. Faster detection costs more traffic on
    /// an idle connection; `frugal` sends as little as PubNub's own SDKs. A ``subscribeRenewalInterval`` has precedence. An addition to the
    /// Cocoa SDK (rule PK-84).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var liveness: Liveness {
        get { read(\.liveness) }
        set { write(\.liveness, newValue) }
    }

    /// The kinds of network paths of the device that the subscription, calls and files may use; all by default. While only excluded paths
    /// are available, attempts fail with `networkUnavailable` as their cause. Works on Apple platforms only and has no effect on Linux. An
    /// addition to the Cocoa SDK (rules PK-85 and SO-108).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var networkPaths: NetworkPaths {
        get { read(\.networkPaths) }
        set { write(\.networkPaths, newValue) }
    }

    /// Whether the client prevents App Nap of macOS while it is subscribed or connecting; false by default, because this costs battery. No
    /// effect on other systems. An addition to the Cocoa SDK (rules PK-86 and BG-12).
    public var preventsAppNap: Bool {
        get { read(\.preventsAppNap) }
        set { write(\.preventsAppNap, newValue) }
    }

    /// This setting has no effect; it exists for source compatibility with the Cocoa SDK, which has it on iOS only.
    public var applicationExtensionSharedGroupIdentifier: String {
        get { read(\.sharedGroupIdentifier) }
        set { write(\.sharedGroupIdentifier, newValue) }
    }

    /// This setting has no effect; it exists for source compatibility with the Cocoa SDK 4.5 to 4.8.
    public var stripMobilePayload: Bool {
        get { read(\.stripMobilePayload) }
        set { write(\.stripMobilePayload, newValue) }
    }

    /// Whether each message is encrypted with a new random initialisation vector; true by default. When false, all messages use one
    /// constant vector.
    public var shouldUseRandomInitializationVector: Bool {
        get { read(\.usesRandomInitializationVector) }
        set { write(\.usesRandomInitializationVector, newValue) }
    }

    /// The maximum number of attempts to publish the message about an uploaded file; 5 by default.
    public var fileMessagePublishRetryLimit: UInt {
        get { read(\.fileMessagePublishRetryLimit) }
        set { write(\.fileMessagePublishRetryLimit, newValue) }
    }
}

// Settings that the Cocoa SDK does not have.
extension PNConfiguration {
    /// The set of time limits of the client's connections; `standard` by default. An addition to the Cocoa SDK.
    public var timing: PNTiming {
        get { read(\.timing) }
        set { write(\.timing, newValue) }
    }

    /// Whether, when and how often a lost subscription is retried. An addition to the Cocoa SDK.
    public var retryPolicy: PNRetryPolicy {
        get { read(\.retryPolicy) }
        set { write(\.retryPolicy, newValue) }
    }

    /// The secret key of the keyset, which signs requests and allows granting access. For servers only, because whoever has it can grant
    /// access. An addition to the Cocoa SDK.
    public var secretKey: String? {
        get { read(\.secretKey) }
        set { write(\.secretKey, newValue) }
    }

    /// A proxy for every connection; nil, the default, for none. An addition to the Cocoa SDK.
    public var proxy: PNProxy? {
        get { read(\.proxy) }
        set { write(\.proxy, newValue) }
    }

    /// Seconds without a received byte after which the client sends the poll again, over a new connection and from the same timetoken: at
    /// least 1, or 0 for never. Nil, the default, uses the value of ``timing``: 60, or 6 with `fast`. Each interval without a message costs
    /// one request: 60 an hour by default, instead of 13 without renewal. An addition to the Cocoa SDK (rule PK-64).
    public var subscribeRenewalInterval: TimeInterval? {
        get { read(\.subscribeRenewalInterval) }
        set { write(\.subscribeRenewalInterval, newValue) }
    }

    /// The maximum time in seconds from the first to the last byte of the answer to a poll, 0.1 to 3600. Nil, the default, uses the value
    /// of ``timing``: 30, or 5 with `fast`. An addition to the Cocoa SDK (rule PK-65).
    public var messageTimeout: TimeInterval? {
        get { read(\.messageTimeout) }
        set { write(\.messageTimeout, newValue) }
    }

    /// The largest accepted answer in bytes, 1 KiB to 16 MiB. A longer answer is refused as `PNMalformedResponseCategory`. Nil, the
    /// default, allows 8 MiB for a subscription and 16 MiB for a call, or 4 MiB with the timing `fast`. An addition to the Cocoa SDK (rule
    /// PK-65).
    public var maximumAnswerSize: Int? {
        get { read(\.maximumAnswerSize) }
        set { write(\.maximumAnswerSize, newValue) }
    }

    /// The logger that records changes of the connection and of subscriptions, and published messages; nil, the default, for none. It is
    /// independent of ``PubNub/logger``, the log with the lines of the Cocoa SDK. An addition to the Cocoa SDK (rules PK-68 and OB-1).
    public var logger: Logger? {
        get { read(\.logger.value) }
        set { write(\.logger.value, newValue) }
    }

    /// The metrics in which the client counts and times its work; nil, the default, for none. An addition to the Cocoa SDK (rules PK-68
    /// and OB-3).
    public var metrics: ClientMetrics? {
        get { read(\.metrics.value) }
        set { write(\.metrics.value, newValue) }
    }

    /// Pins of public keys: the SHA-256 of a public key (SPKI) in base64, with or without the prefix `sha256/`. The service's certificate
    /// chain must be trusted and must contain a pinned key. The default, an empty list, allows any key. The pins apply to the subscription,
    /// to calls and to files.
    ///
    /// While one of the texts is not a valid pin, nothing is sent: the subscription and every call end as `PNBadRequestCategory`, with a
    /// reason that names the text. An addition to the Cocoa SDK (rule PK-69).
    public var certificatePins: [String] {
        get { read(\.certificatePins) }
        set { write(\.certificatePins, newValue) }
    }

    /// The certificate that the client presents when the service requests one; nil, the default, for none. An addition to the Cocoa SDK
    /// (rules PK-70 and WT-50).
    public var clientCertificate: ClientCertificate? {
        get { read(\.clientCertificate) }
        set { write(\.clientCertificate, newValue) }
    }

    /// Additional keys that decrypt messages and files. ``cipherKey`` is tried first and is the only key that encrypts. At most seven keys;
    /// they have no effect without ``cipherKey``. With more than seven, nothing is sent, and the subscription and every call end as
    /// `PNBadRequestCategory`. Secrets. An addition to the Cocoa SDK (rules PK-71 and PC-14).
    ///
    /// To replace a key, first add the new key to this list in every client. Then make it ``cipherKey`` and put the old key into this list.
    /// Remove the old key when messages encrypted with it are no longer needed.
    public var readingCipherKeys: [String] {
        get { read(\.readingCipherKeys) }
        set { write(\.readingCipherKeys, newValue) }
    }

    /// The path of a PEM file with the only certificate authorities to trust; nil, the default, trusts the authorities of the system. An
    /// addition to the Cocoa SDK.
    public var certificateAuthorityFile: String? {
        get { read(\.certificateAuthorityFile) }
        set { write(\.certificateAuthorityFile, newValue) }
    }
}
