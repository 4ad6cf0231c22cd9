// An application in Objective-C that signs in and watches its connection: every call that the documentation of the connection's
// status shows, against the header of NexconnChatSDK. Only compiled.
#import <Foundation/Foundation.h>
#import "NexconnChatSDK-Swift.h"

static NSString *const kIdentifier = @"AccountScreen";

extern void Show(NSString *text);
extern void ShowNumber(NSString *text, long number);

@interface Account : NSObject <NCConnectionStatusHandler>
@property (nonatomic, copy) NSString *token;
@property (nonatomic) NCConnectionStatus shown;
@end

@implementation Account

- (void)begin {
    NCInitParams *settings = [[NCInitParams alloc] initWithAppKey:@"app-key"];
    settings.naviServer = @"http://127.0.0.1:6001";
    [NCEngine initializeWithParams:settings];
    [NCEngine addConnectionStatusHandlerWithIdentifier:kIdentifier handler:self];
    [self signInWithin:30];
}

- (void)signInWithin:(NSInteger)seconds {
    NCConnectParams *params = [[NCConnectParams alloc] initWithToken:self.token];
    params.timeout = seconds;
    params.reconnectKickEnable = NO;
    [NCEngine connectWithParams:params
        databaseOpenedHandler:^(BOOL isRecreated, NCError *_Nullable error) {
            if (error != nil) {
                Show(error.localizedDescription);
            } else if (isRecreated) {
                Show(@"What was kept on this device is gone.");
            }
        }
        completionHandler:^(NSString *_Nullable userId, NCError *_Nullable error) {
            if (error == nil) {
                Show(userId);
                return;
            }
            switch (error.errorCode) {
                case 15: Show(@"A new token is needed."); break;
                case 14: Show(@"It took too long."); break;
                default: ShowNumber(@"Not connected:", (long)error.errorCode); break;
            }
        }];
}

// Both handlers may be left out.
- (void)signInQuietly {
    [NCEngine connectWithParams:[[NCConnectParams alloc] initWithToken:self.token]
          databaseOpenedHandler:nil
              completionHandler:nil];
}

- (void)onConnectionStatusChanged:(NCConnectionStatusChangedEvent *)event {
    self.shown = event.status;
    Show([self textOfStatus:event.status]);
}

// Every status by its name; the compiler says when one is missing.
- (NSString *)textOfStatus:(NCConnectionStatus)status {
    switch (status) {
        case NCConnectionStatusUnknown: return @"unknown";
        case NCConnectionStatusConnected: return @"connected";
        case NCConnectionStatusNetworkUnavailable: return @"no network";
        case NCConnectionStatusKickedOfflineByOtherClient: return @"signed in elsewhere";
        case NCConnectionStatusConnecting: return @"connecting";
        case NCConnectionStatusUnconnected: return @"not connected";
        case NCConnectionStatusSignOut: return @"signed out";
        case NCConnectionStatusSuspend: return @"suspended";
        case NCConnectionStatusTimeout: return @"too late";
        case NCConnectionStatusTokenIncorrect: return @"token";
        case NCConnectionStatusDisconnException: return @"banned";
        case NCConnectionStatusProxyUnavailable: return @"proxy";
        case NCConnectionStatusUserAbandon: return @"account deleted";
    }
    return @"something newer";
}

- (BOOL)isConnected {
    NCConnectionStatus status = [NCEngine getConnectionStatus];
    return status == NCConnectionStatusConnected && [NCEngine getCurrentUserId] != nil;
}

- (void)end {
    [NCEngine removeConnectionStatusHandlerForIdentifier:kIdentifier];
    [NCEngine disconnect:YES];
}

@end

// The numbers are those of the documentation.
_Static_assert(NCConnectionStatusUnknown == -1, "unknown");
_Static_assert(NCConnectionStatusConnected == 0, "connected");
_Static_assert(NCConnectionStatusNetworkUnavailable == 1, "network unavailable");
_Static_assert(NCConnectionStatusKickedOfflineByOtherClient == 6, "kicked");
_Static_assert(NCConnectionStatusConnecting == 10, "connecting");
_Static_assert(NCConnectionStatusUnconnected == 11, "unconnected");
_Static_assert(NCConnectionStatusSignOut == 12, "signed out");
_Static_assert(NCConnectionStatusSuspend == 13, "suspended");
_Static_assert(NCConnectionStatusTimeout == 14, "timeout");
_Static_assert(NCConnectionStatusTokenIncorrect == 15, "token");
_Static_assert(NCConnectionStatusDisconnException == 16, "exception");
_Static_assert(NCConnectionStatusProxyUnavailable == 17, "proxy");
_Static_assert(NCConnectionStatusUserAbandon == 19, "abandoned");

// A handler need not have any method.
@interface Deaf : NSObject <NCConnectionStatusHandler>
@end

@implementation Deaf
@end
