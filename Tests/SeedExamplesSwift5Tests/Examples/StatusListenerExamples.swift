// The Swift examples of PubNub's page on status events: delegate callbacks. Adjusted: what an example only reads is kept, so that a
// test can look at it, and `shouldStopAutoRetry()` is a property of the test.
import Foundation
import PubNub

class StatusListener {
    var stopsAutoRetry = false
    var channels: [String] = []
    var groups: [String] = []
    var heard: [String] = []
    var message: Any?

    func shouldStopAutoRetry() -> Bool {
        return stopsAutoRetry
    }
}

enum StatusListenerExamples {
    // PNAccessDeniedCategory.
    final class AccessDenied: StatusListener, PNObjectEventListener {
        func client(_ client: PubNub, didReceive status: PNStatus) {

            if status.category == .PNAccessDeniedCategory {

                let errorStatus: PNErrorStatus = status as! PNErrorStatus
                // List of channels for which Access Manager reported access error.
                let channels: Array<String> = errorStatus.errorData.channels
                // List of channel groups for which Access Manager reported access error.
                let groups: Array<String> = errorStatus.errorData.channelGroups

                // Stop automatic retry if required.
                if status.willAutomaticallyRetry && self.shouldStopAutoRetry() {

                    status.cancelAutomaticRetry()
                }
                self.channels = channels
                self.groups = groups
                heard.append(status.stringifiedCategory())
            }
        }
    }

    // PNTimeoutCategory, PNUnexpectedDisconnectCategory, PNMalformedResponseCategory, PNTLSConnectionFailedCategory and
    // PNTLSUntrustedCertificateCategory have the same callback.
    final class UnexpectedDisconnect: StatusListener, PNObjectEventListener {
        func client(_ client: PubNub, didReceive status: PNStatus) {

            if status.category == .PNUnexpectedDisconnectCategory {

                // Stop automatic retry if required.
                if status.willAutomaticallyRetry && self.shouldStopAutoRetry() {

                    status.cancelAutomaticRetry()
                }
                heard.append(status.stringifiedCategory())
            }
        }
    }

    // PNNetworkIssuesCategory.
    final class NetworkIssues: StatusListener, PNObjectEventListener {
        func client(_ client: PubNub, didReceive status: PNStatus) {

            if status.category == .PNUnexpectedDisconnectCategory {

                // Report 'offline' state.
                heard.append("offline")
            }
        }
    }

    // PNBadRequestCategory.
    final class BadRequest: StatusListener, PNObjectEventListener {
        func client(_ client: PubNub, didReceive status: PNStatus) {

            if status.category == .PNUnexpectedDisconnectCategory {

                // If this is initial subscription after client initialization assertion will be good here to catch potential
                // issues before they will be pushed to production.
                heard.append("\(status.statusCode)")
            }
        }
    }

    // PNMalformedFilterExpressionCategory.
    final class MalformedFilter: StatusListener, PNObjectEventListener {
        func client(_ client: PubNub, didReceive status: PNStatus) {

            if status.category == .PNMalformedFilterExpressionCategory {

                heard.append(status.stringifiedCategory())
            }
        }
    }

    // PNDecryptionErrorCategory.
    final class DecryptionError: StatusListener, PNObjectEventListener {
        func client(_ client: PubNub, didReceive status: PNStatus) {

            if status.category == .PNDecryptionErrorCategory {

                let errorStatus: PNErrorStatus = status as! PNErrorStatus
                let data: PNMessageData = errorStatus.associatedObject as! PNMessageData
                // Reference on channel on which message has been received.
                let channel: String = data.channel
                // Reference on message which SDK was unable to decrypt.
                let message: Any? = data.message

                // Use PNAES.decrypt(_:withKey:) to decrypt with custom key
                // or handle message as-is.
                heard.append(channel)
                self.message = message
            }
        }
    }
}
