$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
$task = Get-ScheduledTask -TaskPath '\groove\' -TaskName 'groove tray' -ErrorAction SilentlyContinue
if ($task) {
    $task | Stop-ScheduledTask
    $task | Unregister-ScheduledTask -Confirm:$false
}
