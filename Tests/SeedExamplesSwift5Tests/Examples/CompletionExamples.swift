// The Swift examples of PubNub's page on status events: completion blocks. Adjusted: the blocks, which the page shows on their own,
// are given to a call, and where the page has a comment about reporting, `report` is called.
import Foundation
import PubNub

struct CompletionExamples {
    let client: PubNub

    // PNAccessDeniedCategory.
    func accessDenied(report: @escaping (PNStatus) -> Void) {
        var retryCount: UInt = 0
        let maxRetry: UInt = 3
        self.client.publish(
            "Hello", toChannel: "my_channel",
            withCompletion: { (status) in

                if status.category == .PNAccessDeniedCategory {

                    if retryCount + 1 < maxRetry {
                        retryCount += 1
                        status.retry()
                    } else {
                        // Report access rights error.
                        report(status)
                    }
                }
            })
    }

    // PNTimeoutCategory.
    func timeout(report: @escaping (PNStatus) -> Void) {
        var retryCount: UInt = 0
        let maxRetry: UInt = 3
        self.client.publish(
            "Hello", toChannel: "my_channel",
            withCompletion: { (status) in

                if status.category == .PNTimeoutCategory {

                    if retryCount + 1 < maxRetry {
                        retryCount += 1
                        status.retry()
                    } else {
                        // Report potential network issues.
                        report(status)
                    }
                }
            })
    }

    // PNMalformedResponseCategory.
    func malformedResponse(report: @escaping (PNStatus) -> Void) {
        var retryCount: UInt = 0
        let maxRetry: UInt = 3
        self.client.publish(
            "Hello", toChannel: "my_channel",
            withCompletion: { (status) in

                if status.category == .PNMalformedResponseCategory {

                    if retryCount + 1 < maxRetry {
                        retryCount += 1
                        status.retry()
                    } else {
                        // Report request processing error.
                        report(status)
                    }
                }
            })
    }

    // PNTLSConnectionFailedCategory.
    func tlsConnectionFailed(report: @escaping (PNStatus) -> Void) {
        var retryCount: UInt = 0
        let maxRetry: UInt = 3
        self.client.publish(
            "Hello", toChannel: "my_channel",
            withCompletion: { (status) in

                if status.category == .PNTLSConnectionFailedCategory {

                    if retryCount + 1 < maxRetry {
                        retryCount += 1
                        status.retry()
                    } else {
                        // Report request processing error.
                        report(status)
                    }
                }
            })
    }

    // PNTLSUntrustedCertificateCategory.
    func tlsUntrusted(report: @escaping (PNStatus) -> Void) {
        var retryCount: UInt = 0
        let maxRetry: UInt = 3
        self.client.publish(
            "Hello", toChannel: "my_channel",
            withCompletion: { (status) in

                if status.category == .PNTLSUntrustedCertificateCategory {

                    if retryCount + 1 < maxRetry {
                        retryCount += 1
                        status.retry()
                    } else {
                        // Report request processing error.
                        report(status)
                    }
                }
            })
    }

    // PNNetworkIssuesCategory.
    func networkIssues(report: @escaping (PNStatus) -> Void) {
        self.client.publish(
            "Hello", toChannel: "my_channel",
            withCompletion: { (status) in

                if status.category == .PNNetworkIssuesCategory {

                    report(status)
                }
            })
    }

    // PNBadRequestCategory.
    func badRequest(report: @escaping (PNStatus) -> Void) {
        self.client.publish(
            "Hello", toChannel: "my_channel",
            withCompletion: { (status) in

                if status.category == .PNBadRequestCategory {

                    report(status)
                }
            })
    }

    // PNDecryptionErrorCategory. Adjusted: `status!` for `status as! PNErrorStatus`, which the compiler takes with a warning, and
    // warnings are errors here.
    func decryptionError(report: @escaping ([Any]) -> Void) {
        self.client.historyForChannel(
            "history_channel",
            withCompletion: { (result, status) in

                if status != nil && status.category == .PNDecryptionErrorCategory {

                    let errorStatus: PNErrorStatus = status!
                    let data: PNHistoryData = errorStatus.associatedObject as! PNHistoryData
                    // Reference on received list of messages.
                    let messages = data.messages;

                    // Use PNAES.decrypt(_:withKey:) to decrypt each message with custom
                    // key or handle message as-is.
                    report(messages)
                }
            })
    }

    // Network lifecycle: "subscribe on same set of channels or empty list".
    func forceReconnect() {
        client.subscribeToChannels([], withPresence: false)
    }
}
